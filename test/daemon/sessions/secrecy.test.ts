import { expect, test } from 'vitest';
import { tool, WRITE } from '../kernel/kernel-fixture.js';
import { alice, DEMO, sessionsFixture } from './sessions-fixture.js';

const CANARY = 'Zq7canary9xKplanted';

test('planted secrets, bodies and absolute roots are in no byte of the ledger, its log or its answers', async () => {
  const fixture = sessionsFixture().withTools(
    tool(
      'edit_things',
      () => ({
        result: {
          success: false,
          output: { error_kind: 'io_error', failure_kind: 'runtime_error' },
          error: `could not write with Authorization: Bearer ${CANARY}`,
        },
        facts: {
          changedPaths: [`/root/${CANARY}`, 'src/a.ts'],
          contextResultSummary: { note: `password=${CANARY}` },
          validationOutput: {
            purpose: 'test',
            cwd: `/root/${CANARY}`,
            stdoutTail: `ok\nAPI_KEY=${CANARY}\n`,
            stderrTail: `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}\n-----END RSA PRIVATE KEY-----\n`,
            truncated: false,
          },
        },
      }),
      { ...WRITE, recorded_inputs: ['path'] },
    ),
  );
  const begun = await fixture.domain.createWork({
    project: DEMO,
    title: `deploy with token=${CANARY}`,
    owner: alice,
    instruction: `use "client_secret": "${CANARY}" and https://bob:${CANARY}@example.org`,
    transport: 'cli',
  });
  if ('failure' in begun) throw new Error('refused');
  const session = begun.session.sessionId;
  await fixture.call('start_session', { project: DEMO, title: `--password ${CANARY}x --password ${CANARY}` });
  await fixture.call('edit_things', { project: DEMO, session_id: session, path: `token=${CANARY}` }, { recordingSessionId: session });
  const read = await fixture.call('read_session_summary', { session_id: session });
  const list = await fixture.call('list_sessions', { project: DEMO });

  expect(fixture.domain.snapshot(session)?.eventsObserved).toBe(5);
  expect(JSON.stringify([read, list, fixture.status()])).not.toContain(CANARY);
  // The log of the database holds every page that was written since it was opened.
  expect(fixture.bytes()).toContain('task_instruction');
  expect(fixture.bytes()).not.toContain(CANARY);
  await fixture.restart();
  expect(fixture.bytes()).not.toContain(CANARY);
});
