import { shellQuote } from '../../client/render/index.js';
import type { JsonSchema } from '../../protocol/catalog.js';
import type { CommandTool } from './read-tool.js';
import { readJsonFlag } from './read-input.js';
import type { ToolFlag } from './tool-flags.js';
import { takesManyWords, toolFlags } from './tool-flags.js';
import { UsageError } from './usage-error.js';

/** What was typed for a tool, parsed by oclif and not yet understood. */
export interface TypedWords {
  readonly flags: Readonly<Record<string, unknown>>;
  /** Plain words, in their order. */
  readonly words: readonly string[];
  /** What stood after `--`, or null when there was no `--`. */
  readonly program: readonly string[] | null;
}

/**
 * The arguments that a command line means.
 *
 * @throws UsageError for a word too many, no program after `--`, a number that is none, JSON that is none
 */
export function toolArguments(tool: CommandTool, typed: TypedWords): Record<string, unknown> {
  return {
    ...fromFlags(toolFlags(tool), typed.flags),
    // Where no program is run, `--` only says that no flags follow.
    ...fromWords(tool, tool.cli?.program === undefined ? [...typed.words, ...(typed.program ?? [])] : typed.words, typed),
    ...fromProgram(tool, typed.program),
  };
}

/**
 * @throws UsageError naming the first required input that nothing gave a value for
 */
export function requireInputs(tool: CommandTool, args: Readonly<Record<string, unknown>>): void {
  const missing = (tool.inputSchema.required ?? []).filter((input) => args[input] === undefined);
  const [first] = missing;
  if (first === undefined) return;
  throw new UsageError(`${wayToGive(tool, first)} is missing.`, `See 'wc ${tool.command} --help'.`);
}

function wayToGive(tool: CommandTool, input: string): string {
  if (tool.cli?.program?.executable === input) return 'The program (after --)';
  if (tool.cli?.positionals?.includes(input)) return input.toUpperCase();
  if (input === 'session_id') return '--session (or WC_SESSION)';
  if (input === 'project') return '--project (or WC_PROJECT)';
  return `--${toolFlags(tool).find((flag) => flag.input === input)?.flag ?? input}`;
}

function fromFlags(flags: readonly ToolFlag[], typed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const flag of flags) {
    const value = typed[flag.flag];
    if (value === undefined) continue;
    args[flag.input] = Array.isArray(value)
      ? value.map((item: unknown) => understood(flag, item))
      : understood(flag, value);
  }
  return args;
}

function understood(flag: ToolFlag, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  switch (flag.kind) {
    case 'integer':
    case 'number':
      return asNumber(flag, value);
    case 'boolean':
      return value === 'true';
    case 'json':
      return flag.plainWords?.includes(value) === true ? value : readJsonFlag(flag.flag, value);
    case 'string':
      return value;
  }
}

function asNumber(flag: ToolFlag, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || (flag.kind === 'integer' && !Number.isSafeInteger(value))) {
    throw new UsageError(`--${flag.flag} takes ${flag.kind === 'integer' ? 'a whole number' : 'a number'}, not '${text}'.`);
  }
  return value;
}

function fromWords(tool: CommandTool, words: readonly string[], typed: TypedWords): Record<string, unknown> {
  const names = tool.cli?.positionals ?? [];
  const many = takesManyWords(tool);
  if (!many && words.length > names.length) {
    const tooMany = words.slice(names.length);
    throw new UsageError(`'${tooMany[0] ?? ''}' is a word too many.`, hintFor(tool, tooMany, typed));
  }
  const args: Record<string, unknown> = {};
  names.forEach((name, index) => {
    const isLast = index === names.length - 1;
    if (many && isLast) {
      if (words.length > index) args[name] = words.slice(index).map((word) => asInput(tool.inputSchema.properties[name]?.items, word, name));
    } else if (words[index] !== undefined) {
      args[name] = asInput(tool.inputSchema.properties[name], words[index], name);
    }
  });
  return args;
}

/** Words before a missing `--` are what was to run. */
function hintFor(tool: CommandTool, tooMany: readonly string[], { program }: TypedWords): string {
  const facts = tool.cli?.program;
  if (facts === undefined || program !== null) return `See 'wc ${tool.command} --help'.`;
  if (facts.executable === undefined) return "Arguments of the program stand behind '--'.";
  return `The program stands behind '--': wc ${tool.command} -- ${tooMany.map(shellQuote).join(' ')}`;
}

function asInput(schema: JsonSchema | undefined, word: string, name: string): unknown {
  const type = schema?.type;
  if (type !== 'integer' && type !== 'number') return word;
  return asNumber({ input: name, flag: name, kind: type, repeated: false }, word);
}

function fromProgram(tool: CommandTool, program: readonly string[] | null): Record<string, unknown> {
  if (program === null) return {};
  const facts = tool.cli?.program;
  if (facts === undefined) return {};
  if (facts.executable === undefined) return { [facts.args]: program };
  const [executable, ...args] = program;
  if (executable === undefined) throw new UsageError('No program stands after --.');
  return { [facts.executable]: executable, [facts.args]: args };
}
