import { expect, it } from 'vitest';
import { renderCloseout, styleFor } from '../../../src/client/render/index.js';
import type { JsonObject } from '../../../src/protocol/tool-result.js';

const plain = styleFor({ isTerminal: false, env: {} });

function report(hygiene: JsonObject): JsonObject {
  return {
    session_id: 'wc_sess_0123456789abcdef',
    project: 'agent:local:app',
    lifecycle: 'active',
    task_outcome: { status: 'warn' },
    hard_blockers: [],
    advisories: [{ reason: 'workspace_hygiene_findings', secret_like_path: 1 }],
    evidence_history: { status: 'clean' },
    evidence_integrity: { status: 'clean' },
    informational_notes: [],
    suggested_next_actions: [],
    workspace: { status: 'clean' },
    hygiene,
    validation: { status: 'passed' },
  };
}

const finding = (kind: string, path: string): JsonObject => ({ kind, path, tracked: false });

it('names what lies around, and says how much more there is', () => {
  const few = renderCloseout(
    report({ status: 'findings', counts: { secret_like_path: 1, cache_path: 1 }, findings: [finding('secret_like_path', 'a\u001b[31m.pem'), finding('cache_path', 'node_modules/')] }),
    plain,
  );
  expect(few.split('\n').slice(-3)).toEqual([expect.stringMatching(/^hygiene +findings$/), '  secret like path: a\\x1b[31m.pem', '  cache path: node_modules/']);
  const many = Array.from({ length: 20 }, (_, number) => finding('temporary_file', `${number}.tmp`));
  const lines = renderCloseout(report({ status: 'findings', counts: { temporary_file: 25 }, findings: many }), plain).split('\n');
  expect(lines.filter((line) => line.startsWith('  temporary file: '))).toHaveLength(10);
  expect(lines.at(-1)).toBe('  and 15 more: wc check-workspace-hygiene');
});

it('says no more than the status where nobody looked or nothing was found', () => {
  for (const hygiene of [{ status: 'not_checked', reason_code: 'not_requested' }, { status: 'clean', counts: {}, findings: [] }]) {
    expect(renderCloseout(report(hygiene), plain).split('\n').at(-1)).toBe(`hygiene    ${hygiene.status.replaceAll('_', ' ')}`);
  }
});
