import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Catalog, JsonSchema } from '../../src/protocol/catalog.js';
import type { CliPlace } from './cli.js';
import { cliPlace, gitRepository } from './cli.js';
import { postTool, send } from './raw-http.js';

/** It looks like no secret, so that no redaction of secrets hides a leak. */
const SENTINEL = 'quince-orchard-7f3a';
const { tools } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'catalog.json'), 'utf8')) as Catalog;

let place: CliPlace;
let session: string;
let project: string;

beforeAll(() => {
  place = cliPlace();
  const repository = gitRepository(place);
  writeFileSync(join(repository, 'plain.txt'), `${SENTINEL}\n`);
  const begun = JSON.parse(place.wc(['work-on-project', SENTINEL, '--json'], { cwd: repository }).out) as {
    output: { session_id: string; project: string };
  };
  session = begun.output.session_id;
  project = begun.output.project;
}, 60_000);
afterAll(() => place.close());

/** Arguments of a tool made from its schema: every free text is the sentinel. */
function planted(schema: JsonSchema, name: string, complete: boolean): unknown {
  const choice = (schema['oneOf'] ?? schema['anyOf'] ?? schema['allOf']) as readonly JsonSchema[] | undefined;
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (choice !== undefined) return planted(choice[0] ?? {}, name, complete);
  if (schema['type'] === 'object') return plantedMembers(schema, complete);
  if (schema['type'] === 'array') return [planted(schema['items'] ?? {}, name, complete)];
  if (schema['type'] === 'integer' || schema['type'] === 'number') return schema['minimum'] ?? 1;
  if (schema['type'] === 'boolean') return false;
  if (name === 'project') return project;
  if (name === 'session_id') return session;
  // The paths of changed files are what the audit is there to tell.
  if (/path/.test(name)) return 'plain.txt';
  return SENTINEL;
}

function plantedMembers(schema: JsonSchema, complete: boolean): Record<string, unknown> {
  const members = schema['properties'] ?? {};
  const required = schema['required'] ?? [];
  return Object.fromEntries(
    Object.entries(members)
      .filter(([name]) => complete || required.includes(name))
      .map(([name, member]) => [name, planted(member, name, complete)]),
  );
}

/** What ends the Session or the project comes after all that needs them. */
const LAST = ['close_session', 'finish_coding_task', 'unregister_project', 'unregister_projects'];

it('keeps nothing of any argument of any tool, in the database and in its log', async () => {
  const { socket } = place.status();
  const order = [...tools].sort((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name));
  let echoed = 0;
  for (const { name, inputSchema } of order) {
    const schema = inputSchema as unknown as JsonSchema;
    const envelope = { record: session, ack: [SENTINEL], context: [SENTINEL], [SENTINEL]: SENTINEL };
    const bodies = [
      { arguments: plantedMembers(schema, false) },
      { arguments: plantedMembers(schema, true) },
      { arguments: { [SENTINEL]: SENTINEL, project: SENTINEL, session_id: SENTINEL, path: SENTINEL } },
      { arguments: plantedMembers(schema, false), _wc: envelope },
      { arguments: plantedMembers(schema, false), recording_session_id: SENTINEL },
    ];
    const answers = await Promise.all(bodies.map((body) => postTool(socket, name, body, { 'x-wc-window': SENTINEL })));
    expect([name, ...answers.map(({ status }) => status)]).toEqual([name, 200, 200, 200, 200, 200]);
    if (answers.some(({ body }) => body.includes(SENTINEL))) echoed += 1;
  }
  await postTool(socket, SENTINEL, { arguments: { text: SENTINEL } });
  // The sentinel did travel: answers show it where they may.
  expect(echoed).toBeGreaterThan(5);

  const stats = await send(socket, 'POST', '/api/audit/query', { body: '{"kind":"tools"}' });
  const seen = (JSON.parse(stats.body) as { tools: { tool: string; calls: number }[] }).tools;
  const rows = new Set(seen.map(({ tool }) => tool));
  // The gateway's rows are those of the tools that it leads to.
  expect(tools.map(({ name }) => name).filter((name) => !rows.has(name))).toEqual(['call_runtime_tool']);
  expect(seen.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(5 * tools.length);

  const path = join(place.home, 'audit.db');
  const stored = Buffer.concat([path, `${path}-wal`].filter((file) => existsSync(file)).map((file) => readFileSync(file)));
  const forms = [
    SENTINEL,
    SENTINEL.toUpperCase(),
    Buffer.from(SENTINEL).toString('hex'),
    Buffer.from(SENTINEL).toString('base64').slice(0, -4),
    createHash('sha256').update(SENTINEL).digest('hex'),
  ];
  expect(stored.includes(project)).toBe(true);
  expect(forms.filter((form) => stored.includes(form))).toEqual([]);
}, 60_000);
