import { expect, it } from 'vitest';
import { WORKFLOW_GUIDANCE } from '../../../src/daemon/continuity/index.js';

const roles = WORKFLOW_GUIDANCE['roles'] as Readonly<Record<string, readonly string[]>>;

it('is guidance for models only: two roles of eight items, chosen by the task’s own text', () => {
  expect(WORKFLOW_GUIDANCE).toMatchObject({ model_guidance_only: true, choose_role_by: 'task_text' });
  expect(Object.entries(roles).map(([role, items]) => [role, items.length])).toEqual([
    ['implementation_owner', 8],
    ['independent_review', 8],
  ]);
});

it.each(['post_session_message', 'assertion_name', 'project_validate', 'stale', 'no status in a loop', 'wrote nothing', 'finish_coding_task'])('speaks of %s', (topic) => {
  expect(roles['implementation_owner']?.join(' ')).toContain(topic);
});
