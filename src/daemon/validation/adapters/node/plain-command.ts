/** A package script that starts one program with words that no shell has to interpret. */
export interface PlainCommand {
  /** `NAME=value` before the program. */
  readonly environment: readonly string[];
  readonly program: string;
  readonly args: readonly Word[];
}

export interface Word {
  readonly text: string;
  /** Whether a shell would replace it by the files that it matches. */
  readonly isPattern: boolean;
}

const MAX_SCRIPT_CHARACTERS = 4_000;
/** What starts a program of the project and adds nothing: `npx vitest` is `vitest`. */
const STARTERS: readonly (readonly string[])[] = [['npx', '--no-install'], ['npx', '--no'], ['npx'], ['pnpm', 'exec'], ['pnpm'], ['yarn', 'run'], ['yarn'], ['cross-env']];
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** Unquoted, and the same in every shell: everything else is its syntax. */
const PLAIN = /[A-Za-z0-9_@%+=:,./^-]/;
const PATTERN = /[*?[\]]/;

/**
 * The one program that a package script starts, or null when it takes a shell to know:
 * a pipeline, a sequence, a variable, a redirection.
 */
export function plainCommand(script: string): PlainCommand | null {
  if (script.length > MAX_SCRIPT_CHARACTERS) return null;
  let rest: readonly Word[] | null = words(script);
  if (rest === null) return null;
  const environment: string[] = [];
  for (;;) {
    const [first] = rest;
    if (first === undefined) return null;
    const starter = STARTERS.find((starts) => starts.every((word, index) => rest?.[index]?.text === word));
    if (starter !== undefined) rest = rest.slice(starter.length);
    else if (ASSIGNMENT.test(first.text)) {
      environment.push(first.text);
      rest = rest.slice(1);
    } else {
      return first.isPattern ? null : { environment, program: first.text, args: rest.slice(1) };
    }
  }
}

/** The words of a line, quotes taken off; null when it holds any other syntax of a shell. */
function words(line: string): Word[] | null {
  const found: Word[] = [];
  let word: { text: string; isPattern: boolean } | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (/[ \t]/.test(character)) {
      if (word !== null) found.push(word);
      word = null;
      continue;
    }
    word ??= { text: '', isPattern: false };
    if (character === "'" || character === '"') {
      const end = line.indexOf(character, at + 1);
      const quoted = end === -1 ? null : line.slice(at + 1, end);
      if (quoted === null || (character === '"' && /[$`\\]/.test(quoted))) return null;
      word.text += quoted;
      at = end;
    } else if (PATTERN.test(character)) {
      word.text += character;
      word.isPattern = true;
    } else if (PLAIN.test(character)) {
      word.text += character;
    } else {
      return null;
    }
  }
  if (word !== null) found.push(word);
  // A word that is part pattern, part quoted text could not be given back to a shell as it was.
  return found.some(({ text, isPattern }) => isPattern && !/^[A-Za-z0-9_@%+=:,./^*?[\]-]+$/.test(text)) ? null : found;
}
