import { z } from 'zod';
import { redactAndBound } from '../../redaction/index.js';
import type { WorkspaceLook } from './handoff-facts.js';

const BRANCH_CHARACTERS = 256;
const OBJECT_NAME = /^[0-9a-f]{7,64}$/;

/** The work tree in a brief; null is not known, or there is no such thing. */
export type BriefWorkspace = {
  readonly status: WorkspaceLook['status'];
  readonly reason_code?: string;
  readonly branch: string | null;
  readonly head: string | null;
  readonly dirty: boolean | null;
  readonly conflicted: boolean | null;
  readonly ahead: number | null;
  readonly behind: number | null;
};

export const briefWorkspaceSchema = z.strictObject({
  status: z.enum(['available', 'not_requested', 'unavailable']),
  reason_code: z.string().optional(),
  branch: z.string().nullable(),
  head: z.string().nullable(),
  dirty: z.boolean().nullable(),
  conflicted: z.boolean().nullable(),
  ahead: z.int().nullable(),
  behind: z.int().nullable(),
});

const NOTHING_KNOWN = { branch: null, head: null, dirty: null, conflicted: null, ahead: null, behind: null };

/** The work tree as it was looked at. A folder in no repository cannot be compared with anything. */
export function briefWorkspace(workspace: WorkspaceLook): BriefWorkspace {
  switch (workspace.status) {
    case 'not_requested':
      return { status: 'not_requested', ...NOTHING_KNOWN };
    case 'unavailable':
      return { status: 'unavailable', reason_code: workspace.reasonCode, ...NOTHING_KNOWN };
    case 'available': {
      const { is_repository, branch, head, dirty, conflicted, ahead, behind } = workspace.git;
      if (!is_repository) return { status: 'unavailable', reason_code: 'not_a_git_repository', ...NOTHING_KNOWN };
      return {
        status: 'available',
        branch: branch === null ? null : redactAndBound(branch, BRANCH_CHARACTERS).text,
        head: head !== null && OBJECT_NAME.test(head) ? head : null,
        dirty,
        conflicted,
        ahead,
        behind,
      };
    }
  }
}
