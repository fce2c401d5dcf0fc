/** The only door of completion: a script for each shell, out of what the command framework knows. */
import { bashScript } from './bash-script.js';
import { completionTable, nextWords, type KnownCommand } from './completion-table.js';
import { fishScript } from './fish-script.js';
import { zshScript } from './zsh-script.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const WRITERS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * A script that completes `wc` and `webcodex`; it holds all that it needs, so that pressing
 * the key starts no process.
 *
 * @param topics what each topic is for, by its name
 */
export function completionScript(shell: Shell, commands: readonly KnownCommand[], topics: Readonly<Record<string, string>>): string {
  const table = completionTable(commands);
  return WRITERS[shell](table, nextWords(table, topics));
}
