import { MAX_TIMEOUT_SECS } from '../../protocol/execution-limits.js';
import { Flags } from './oclif.js';
import type { ParsedLine } from './tool-command.js';

/** The flag of the commands that run a program for a terminal, where nobody but the person should end it early. */
export const terminalTimeoutFlag = {
  'timeout-secs': Flags.string({
    summary: `Whole budget; more than ${MAX_TIMEOUT_SECS} is cut (at least 1, default ${MAX_TIMEOUT_SECS})`,
    helpValue: 'INTEGER',
  }),
};

/** The line with that budget where it names none; what came as a whole by `--input` is left to the tool's own default. */
export function withTerminalTimeout(line: ParsedLine): ParsedLine {
  return line.whole ? line : { ...line, args: { timeout_secs: MAX_TIMEOUT_SECS, ...line.args } };
}
