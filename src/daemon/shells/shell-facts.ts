import { z } from 'zod';
import { SHELL_CLOSE_REASONS, SHELL_STATES, type ShellView } from '../../protocol/runner/shells.js';
import type { JsonObject } from '../../protocol/tool-result.js';

/** What is said of a shell. `unknown` is one whose Runner could not be asked. */
export const shellFactsSchema = z.looseObject({
  shell_id: z.string(),
  shell_state: z.enum([...SHELL_STATES, 'unknown']),
  close_reason: z.enum(SHELL_CLOSE_REASONS).nullable(),
  busy: z.boolean(),
  shell: z.enum(['sh', 'bash']),
  /** After the last command, relative to the project's root and without links. */
  cwd: z.string(),
  initial_cwd: z.string(),
  /** Unix milliseconds. */
  opened_at_ms: z.int(),
  ended_at_ms: z.int().nullable(),
  commands: z.int(),
  /** The resource that it is on, where its folders are absolute; absent on this machine. */
  resource: z.string().optional(),
});

export function shellFacts({ state, project: _project, ...shell }: ShellView): JsonObject {
  return { ...shell, shell_state: state };
}
