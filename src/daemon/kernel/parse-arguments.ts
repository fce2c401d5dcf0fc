import type { z } from 'zod';
import { failure } from '../../protocol/tool-result.js';
import { refuseCall } from './call-refused.js';
import { issueMessage } from './issue-message.js';
import type { Tool } from './tool.js';

const MAX_REPORTED = 8;

/**
 * Step 9: the arguments in the tool's own shape. Unknown fields are refused. The
 * answer says where each problem sits and what was expected, and echoes no value.
 */
export function parseArguments(tool: Tool, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parsed = tool.definition.input.safeParse(args, { error: issueMessage });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, MAX_REPORTED).map(describe);
  return refuseCall(
    failure('invalid_arguments', `${tool.definition.name}: ${problems.map((p) => p.problem).join('; ')}`, {
      failure_kind: 'invalid_arguments',
      problems: problems.map(({ at, problem }) => ({ at, problem })),
      state_changed: false,
      ...(tool.definition.effect === 'execute' ? { execution_state: 'not_started', command_started: false } : {}),
    }),
  );
}

function describe(issue: z.core.$ZodIssue): { at: string; problem: string } {
  const at = issue.path.map(String).join('.').slice(0, 120);
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, 4).map((key) => key.slice(0, 64));
    return { at, problem: `${at === '' ? '' : `${at}: `}unknown field ${keys.join(', ')}` };
  }
  return { at, problem: `${at === '' ? 'arguments' : at}: ${issue.message.slice(0, 200)}` };
}
