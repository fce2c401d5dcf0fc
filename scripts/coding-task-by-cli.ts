import { $ } from 'zx';
import { CODING_TASK } from '../fixtures/coding-task.js';
import { shellWord } from './shell-word.js';

/** One command line of the task, as it was typed, and what it came to. */
export interface PerformedCommand {
  /** With the prompt's words quoted as a shell wants them. */
  readonly line: string;
  /** stdout and stderr as a terminal shows them, in the order of their arrival. */
  readonly output: string;
  readonly exitCode: number;
}

export interface CliSurroundings {
  /** The built command. */
  readonly wc: string;
  readonly repository: string;
  /** Holds `WC_HOME`: a state folder that nothing was done in yet, so that the first refs are `~s1` and `~p1`. */
  readonly env: NodeJS.ProcessEnv;
}

/** What a person sets after the first command, so that the others need no selectors. */
export const SELECTORS = { WC_SESSION: '~s1', WC_PROJECT: '~p1' } as const;

/** The line that sets them. */
export const EXPORT_SELECTORS = `export ${Object.entries(SELECTORS)
  .map(([name, value]) => `${name}=${shellWord(value)}`)
  .join(' ')}`;

/**
 * Does the coding task from a terminal, as a person would, and then looks at the audit.
 *
 * @param onCommand told of each command when it has ended
 * @throws Error when a command ends otherwise than the task says
 */
export async function performByCli(
  { wc, repository, env }: CliSurroundings,
  onCommand: (performed: PerformedCommand) => void,
): Promise<void> {
  const steps = [...CODING_TASK, { command: ['audit', 'stats'], fails: undefined }];
  for (const [index, { command, fails }] of steps.entries()) {
    const stepEnv = index === 0 ? env : { ...env, ...SELECTORS };
    const run = await $({ cwd: repository, env: stepEnv, stdio: ['ignore', 'pipe', 'pipe'], quiet: true, nothrow: true })`${wc} ${command}`;
    const performed = { line: ['wc', ...command].map(shellWord).join(' '), output: run.stdall, exitCode: run.exitCode ?? -1 };
    onCommand(performed);
    if ((performed.exitCode !== 0) !== (fails === true)) {
      throw new Error(`${performed.line} ended with ${performed.exitCode}:\n${performed.output}`);
    }
  }
}
