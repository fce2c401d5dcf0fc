import { expect, it } from 'vitest';
import { renderHandoff, styleFor } from '../../../src/client/render/index.js';
import { handoffBrief } from '../../../src/daemon/continuity/handoff/build-brief.js';
import { taskHistory } from '../../../src/daemon/continuity/evidence/task-history.js';
import type { HandoffFacts } from '../../../src/daemon/continuity/handoff/handoff-facts.js';
import { event, instruction, PROJECT, SESSION, snapshotOf } from '../../daemon/continuity/session-events.js';
import { randomHandoff } from '../../daemon/continuity/random-handoff.js';

const plain = styleFor({ isTerminal: false, env: {} });
const page = (facts: HandoffFacts): string => renderHandoff({ session_id: SESSION, project: PROJECT, handoff_brief: handoffBrief(facts) }, plain);

it('says what is not known, and what is only claimed', () => {
  const snapshot = snapshotOf([instruction(0, 'fix\n\u001b[31mit'), event(1, { tool_name: 'edit_project_files', changed_paths: Array.from({ length: 14 }, (_, index) => `src/${String(index).padStart(2, '0')}.ts`) })]);
  expect(
    page({
      snapshot,
      history: taskHistory(snapshot),
      board: null,
      workspace: { status: 'unavailable', reasonCode: 'git_failed' },
      jobs: { status: 'unavailable', reasonCode: 'runner_unavailable' },
      validation: { status: 'unavailable', reasonCode: 'jobs_unavailable' },
      reports: { reports: [{ sessionId: SESSION, project: PROJECT, adapterId: 'a', eventId: 'b', observedTool: 'make', exitCode: 2, recordedAt: 1 }] },
      raced: { session: false, reports: false },
    }).split('\n'),
  ).toEqual([
    'State: insufficient evidence',
    `${SESSION} · active · normal · agent:local:a`,
    'work tree unavailable (git failed) · validation unavailable (jobs unavailable)',
    'incomplete: discussion unavailable, guidance unavailable, job summary unavailable, validation unavailable, workspace unavailable',
    '',
    'Asked',
    '  fix \\x1b[31mit',
    '',
    'Changed (12 of 14)',
    ...Array.from({ length: 12 }, (_, index) => `  src/${String(index).padStart(2, '0')}.ts`),
    '',
    'Open',
    '  not known: recovering jobs, blocking jobs, terminal pending jobs, open risks, open questions, open todos, open guidance',
    '',
    'Reported from outside, unproven',
    '  make: reported failure, exit 2',
    '',
    'Next',
    '  1. Review what the latest attempt changed: read_workspace_changes.',
  ]);
});

it('writes no control character and no mark of direction to a terminal, whatever the Session holds', () => {
  for (let seed = 0; seed < 300; seed += 1) expect(page(randomHandoff(seed))).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
});
