import { basename } from 'node:path';
import type { Environment } from './child-environment.js';

/** How a user's shell is asked for the environment that it would start programs with. */
export interface ShellQuestion {
  readonly file: string;
  readonly args: readonly string[];
  /** What the answer stands between. */
  readonly marker: string;
}

/** What the shell said. */
export interface ShellAnswer {
  readonly environment: Environment;
  /** The user's file creation mask; null when the shell did not say. */
  readonly umask: number | null;
}

/** What only says where the question was asked, not who the user is. */
const OF_THE_QUESTION: ReadonlySet<string> = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'WC_RESOLVING_ENVIRONMENT']);

/**
 * The question to a shell, as login and interactive shell: many set their PATH in a file
 * that only interactive shells read.
 *
 * @param marker a random word, so that whatever the user's start files print is told
 * apart from the answer
 */
export function shellQuestion(shell: string, marker: string): ShellQuestion {
  // Understood alike by the shells of the Bourne family, csh and fish.
  const command = `echo ${marker}; umask; /usr/bin/env -0; echo ${marker}`;
  const isCsh = ['csh', 'tcsh'].includes(basename(shell));
  return { file: shell, args: isCsh ? ['-i', '-c', command] : ['-i', '-l', '-c', command], marker };
}

/** The answer in what the shell printed; null when it holds none. */
export function parseShellAnswer(printed: string, marker: string): ShellAnswer | null {
  const start = printed.indexOf(`${marker}\n`);
  const end = printed.lastIndexOf(marker);
  if (start === -1 || end <= start) return null;
  const answer = printed.slice(start + marker.length + 1, end);
  const firstLineEnd = answer.indexOf('\n');
  const environment = parseVariables(answer.slice(firstLineEnd + 1));
  return environment['PATH'] === undefined ? null : { environment, umask: parseUmask(answer.slice(0, firstLineEnd)) };
}

/** The variables in what `env -0` printed, without those of the question itself. */
export function parseVariables(printed: string): Environment {
  const environment: Record<string, string> = {};
  for (const entry of printed.split('\0')) {
    const equals = entry.indexOf('=');
    if (equals <= 0) continue;
    const name = entry.slice(0, equals);
    if (!OF_THE_QUESTION.has(name)) environment[name] = entry.slice(equals + 1);
  }
  return environment;
}

function parseUmask(text: string): number | null {
  return /^[0-7]{1,4}$/.test(text.trim()) ? parseInt(text, 8) : null;
}
