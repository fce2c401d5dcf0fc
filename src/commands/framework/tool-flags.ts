import type { Command } from './oclif.js';
import { Args, Flags } from './oclif.js';
import type { JsonSchema } from '../../protocol/catalog.js';
import type { CommandTool } from './read-tool.js';
import { indexTool } from './tool-index.js';
import { envelopeFlags } from './envelope-flags.js';
import { jsonFlag, recordFlag, selectorFlags } from './wc-command.js';

/** How one input of a tool is given on a command line. */
export interface ToolFlag {
  /** The input's name in the schema. */
  readonly input: string;
  /** The flag's name, without dashes. */
  readonly flag: string;
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'json';
  /** A list: the flag may be repeated. */
  readonly repeated: boolean;
  /** Plain words that a JSON flag knows besides, so that they need no quotes of their own. */
  readonly plainWords?: readonly string[];
}

/** Inputs that have a flag of their own meaning on every command. */
const SELECTOR_INPUTS: ReadonlySet<string> = new Set(['session_id', 'project']);
/** Names that mean the same on every command; an input of that name gets a prefix. */
const TAKEN: ReadonlySet<string> = new Set(['json', 'input', 'session', 'project', 'record', 'progress', 'env', 'help']);

/** The flags of a tool's own inputs, in the order of its schema. */
export function toolFlags(tool: CommandTool): readonly ToolFlag[] {
  return Object.entries(tool.inputSchema.properties)
    .filter(([input]) => !SELECTOR_INPUTS.has(input))
    .map(([input, schema]) => {
      const list = singleType(schema) === 'array';
      const kind = kindOf(list ? (schema.items ?? {}) : schema);
      const name = input.replaceAll('_', '-');
      return {
        input,
        flag: TAKEN.has(name) ? `arg-${name}` : name,
        kind,
        // A list of objects is given whole: there is no flag for their members.
        repeated: list && kind !== 'json',
        ...(kind === 'json' ? wordsOf(schema) : {}),
      };
    });
}

/** The oclif flags of a tool's command. */
export function oclifFlags(tool: CommandTool): Command.Class['flags'] {
  const facts = indexTool(tool);
  const own = toolFlags(tool).map((flag) => [flag.flag, oclifFlag(flag, tool.inputSchema.properties[flag.input] ?? {})] as const);
  return {
    // A tool's own input of that name wins; --wc gives the rest of the envelope then.
    ...envelopeFlags,
    ...Object.fromEntries(own),
    ...(facts.session !== 'none' ? { session: selectorFlags.session } : {}),
    ...(facts.project !== 'none' ? { project: selectorFlags.project } : {}),
    ...recordFlag,
    ...jsonFlag,
    input: Flags.string({
      summary: 'All arguments as one JSON object, as it stands, from @FILE, or from standard input with -.',
      helpValue: 'JSON',
      helpGroup: 'GLOBAL',
    }),
    ...(facts.runs
      ? { env: Flags.boolean({ summary: 'Send the environment along (it is never kept).', allowNo: true, default: true, helpGroup: 'GLOBAL' }) }
      : {}),
    progress: Flags.boolean({ summary: 'Show on standard error what the call reports while it runs.', helpGroup: 'GLOBAL' }),
  };
}

/** The oclif arguments of a tool's command: its positional inputs. */
export function oclifArgs(tool: CommandTool): Command.Class['args'] {
  return Object.fromEntries(
    (tool.cli?.positionals ?? []).map((input) => [
      input,
      Args.string({ description: tool.inputSchema.properties[input]?.description ?? '', required: false }),
    ]),
  );
}

/** Whether the last positional takes all the words that are left. */
export function takesManyWords(tool: CommandTool): boolean {
  const last = tool.cli?.positionals?.at(-1);
  return last !== undefined && singleType(tool.inputSchema.properties[last] ?? {}) === 'array';
}

function oclifFlag(flag: ToolFlag, schema: JsonSchema): Command.Class['flags'][string] {
  const summary = summaryOf(schema);
  if (flag.kind === 'boolean' && !flag.repeated) return Flags.boolean({ summary, allowNo: true });
  const options = (flag.repeated ? schema.items : schema)?.enum?.filter((value) => typeof value === 'string');
  const shape = {
    summary,
    helpValue: [...(flag.plainWords ?? []), flag.kind === 'json' ? 'JSON' : flag.kind.toUpperCase()].join('|'),
    ...(options && options.length > 0 ? { options } : {}),
  };
  return flag.repeated ? Flags.string({ ...shape, multiple: true, multipleNonGreedy: true }) : Flags.string(shape);
}

function summaryOf(schema: JsonSchema): string {
  const bounds = [
    schema.minimum === undefined ? null : `at least ${schema.minimum}`,
    schema.maximum === undefined || schema.maximum >= Number.MAX_SAFE_INTEGER ? null : `at most ${schema.maximum}`,
    schema.default === undefined ? null : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== null);
  const said = schema.description ?? '';
  return bounds.length === 0 ? said : `${said}${said === '' ? '' : ' '}(${bounds.join(', ')})`;
}

function kindOf(schema: JsonSchema): ToolFlag['kind'] {
  const type = singleType(schema);
  if (type === 'string' || type === 'integer' || type === 'number' || type === 'boolean') return type;
  if (type === undefined && schema.enum?.every((value) => typeof value === 'string')) return 'string';
  return 'json';
}

/** The constant words among the forms of a union. */
function wordsOf(schema: JsonSchema): Pick<ToolFlag, 'plainWords'> {
  const words = (schema.anyOf ?? schema.oneOf ?? []).map((form) => form.const).filter((value) => typeof value === 'string');
  return words.length === 0 ? {} : { plainWords: words };
}

/** The one type of a schema, null aside; undefined where it is a union. */
function singleType(schema: JsonSchema): string | undefined {
  if (typeof schema.type === 'string') return schema.type;
  const forms = schema.type ?? (schema.anyOf ?? schema.oneOf ?? []).map((form) => (typeof form.type === 'string' ? form.type : ''));
  const types = [...new Set(forms)].filter((type) => type !== 'null');
  return types.length === 1 ? types[0] : undefined;
}
