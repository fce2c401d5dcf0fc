import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CliPlace } from './cli.js';
import { cliPlace, gitRepository } from './cli.js';

/** A word that looks like no secret, so that no redaction of secrets hides a leak. */
const PLANTED = 'plum-tree';

let place: CliPlace;
let repository: string;

beforeAll(() => {
  place = cliPlace();
  repository = gitRepository(place);
}, 60_000);
afterAll(() => place.close());

const run = (args: readonly string[], options: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {}): string => {
  const { code, out, err } = place.wc(args, { cwd: repository, ...options });
  expect([args[0], code, err]).toEqual([args[0], 0, '']);
  return out;
};

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile()) yield path;
  }
}

/** What of the planted words stands in the raw bytes of a file, or in its name. */
function plantedIn(path: string): readonly string[] {
  const text = path + readFileSync(path, 'latin1');
  return [...new Set(text.match(new RegExp(`${PLANTED}-[a-z]+`, 'g')) ?? [])].sort();
}

it('what a command, a script, its input and its environment hold reaches no store, no log and no name', () => {
  const session = /~s[0-9]+/.exec(run(['work-on-project', 'plant a tree']))?.[0] ?? '';
  const env = { WC_SESSION: session, PLANTED: `${PLANTED}-environment` };
  run(['run-shell', `true ${PLANTED}-first\ntrue ${PLANTED}-second`], { env });
  run(['run-process', '--', 'true', `${PLANTED}-argument`], { env });
  run(['run-process', '--', 'cat'], { env, input: `${PLANTED}-input\n` });
  const inCommandLines = run(['run-script', '--language', 'sh', '-'], { env, input: `ps axww -o args | grep -c '[p]lum-tree' || true # ${PLANTED}-script\n` });
  expect(inCommandLines).toBe('0\n');
  run(['run-job', `true ${PLANTED}-jobline\ntrue ${PLANTED}-jobbody`], { env });
  const shell = run(['shell', 'open'], { env }).trim();
  run(['shell', 'exec', '--shell-id', shell, `export A=${PLANTED}-shell`], { env });
  run(['shell', 'close', shell], { env });
  const [job = ''] = /wc_job_[0-9a-f]+/.exec(run(['job', 'list'], { env })) ?? [];
  run(['job', 'wait', job], { env });
  run(['session', 'show', session]);

  const found = [...filesIn(place.home)].flatMap((path): [string, readonly string[]][] => {
    const words = plantedIn(path);
    return words.length === 0 ? [] : [[path.slice(place.home.length + 1).replace(/[0-9a-f]{32}/, 'LIFE'), words]];
  });
  // The Runner's private record of what runs has the first line of it, by which people know it; a short
  // command has mostly ended before it is written there.
  expect(found.filter(([path]) => path !== 'spool/LIFE/groups.jsonl')).toEqual([]);
  const firstLines = ['first', 'argument', 'jobline'].map((word) => `${PLANTED}-${word}`);
  expect(found.flatMap(([, words]) => words).filter((word) => !firstLines.includes(word))).toEqual([]);
}, 60_000);
