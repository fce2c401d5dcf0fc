/** One command as a shell has to know it. */
export interface CompletableCommand {
  /** Its words, e.g. `job logs`. */
  readonly name: string;
  readonly summary: string;
  /** Its flags, `--json` and the like, in order. */
  readonly flags: readonly CompletableFlag[];
  /** The values that its first argument may have; empty where that is free. */
  readonly values: readonly string[];
}

export interface CompletableFlag {
  readonly name: string;
  readonly char: string | null;
  readonly summary: string;
  /** The values that it may have; empty where they are free; null where it has none. */
  readonly values: readonly string[] | null;
}

/** What the command framework knows of a command, as far as it matters here. */
export interface KnownCommand {
  readonly id: string;
  readonly summary?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly flags: Readonly<Record<string, KnownInput>>;
  readonly args: Readonly<Record<string, KnownInput>>;
}

interface KnownInput {
  readonly name: string;
  readonly type?: string;
  readonly char?: string;
  readonly summary?: string | undefined;
  readonly hidden?: boolean | undefined;
  readonly options?: readonly string[] | undefined;
  readonly allowNo?: boolean | undefined;
}

/** A word that may follow words that were typed, and what it is for. */
export interface NextWord {
  readonly word: string;
  readonly summary: string;
}

/** All commands, in the order of their names. */
export function completionTable(commands: readonly KnownCommand[]): readonly CompletableCommand[] {
  return commands
    .filter(({ hidden }) => hidden !== true)
    .map(({ id, summary = '', flags, args }) => ({
      name: id.replaceAll(':', ' '),
      summary: oneLine(summary),
      flags: Object.values(flags).filter(({ hidden }) => hidden !== true).flatMap(flagsOf),
      values: Object.values(args)[0]?.options ?? [],
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** What may follow: commands and topics by the words in front of them, `''` for the first word. */
export function nextWords(table: readonly CompletableCommand[], topics: Readonly<Record<string, string>>): ReadonlyMap<string, readonly NextWord[]> {
  const next = new Map<string, Map<string, NextWord>>();
  for (const { name, summary } of table) {
    const words = name.split(' ');
    for (const [depth, word] of words.entries()) {
      const before = words.slice(0, depth).join(' ');
      const known = next.get(before) ?? new Map<string, NextWord>();
      next.set(before, known);
      const isCommand = depth === words.length - 1;
      if (isCommand || !known.has(word)) known.set(word, { word, summary: isCommand ? summary : oneLine(topics[words.slice(0, depth + 1).join(' ')] ?? '') });
    }
  }
  return new Map([...next].map(([before, words]) => [before, [...words.values()]]));
}

function flagsOf({ name, type, char, summary = '', options, allowNo }: KnownInput): readonly CompletableFlag[] {
  const values = type === 'option' ? (options ?? []) : null;
  const flag = { name: `--${name}`, char: char === undefined ? null : `-${char}`, summary: oneLine(summary), values };
  return allowNo === true ? [flag, { ...flag, name: `--no-${name}`, char: null }] : [flag];
}

function oneLine(text: string): string {
  return text.split('\n')[0]?.trim() ?? '';
}
