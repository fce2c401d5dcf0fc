import { constants } from 'node:os';
import { EXIT } from '../../client/index.js';
import type { ToolResult } from '../../protocol/tool-result.js';

/**
 * The exit code of a command that ran a program: the program's own, 124 for its time-out,
 * 128+n for its signal, 125 where `wc` failed or the program's end is not known. A program
 * that goes on as a Job has not failed.
 */
export function executionExitCode(result: ToolResult): number {
  const { output } = result;
  switch (output['execution_state']) {
    case 'completed': {
      const code = endOf(output['exit_code'], output['signal']);
      // A validator may end well and still prove less than was asked of it.
      return code === EXIT.success && !result.success ? EXIT.refused : code;
    }
    case 'timed_out':
      return EXIT.timedOut;
    case 'queued':
    case 'running':
      return EXIT.success;
    case 'cancelled':
      return EXIT.signalBase + (signalNumber(output['signal']) ?? constants.signals.SIGTERM);
    default:
      // Refused, not started, or an end that nobody saw.
      return EXIT.ownFailure;
  }
}

function endOf(exitCode: unknown, signal: unknown): number {
  const number = signalNumber(signal);
  if (number !== undefined) return EXIT.signalBase + number;
  return typeof exitCode === 'number' && exitCode >= 0 ? exitCode : EXIT.ownFailure;
}

function signalNumber(signal: unknown): number | undefined {
  return typeof signal === 'string' ? constants.signals[signal as NodeJS.Signals] : undefined;
}
