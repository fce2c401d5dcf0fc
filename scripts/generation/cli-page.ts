import type { Catalog } from '../../src/protocol/catalog.js';
import { fence, page, table } from './markdown.js';

/** The part of `oclif.manifest.json` that a reader is told of. */
export interface CommandManifest {
  readonly commands: Readonly<Record<string, ManifestCommand>>;
}

export interface ManifestCommand {
  readonly id: string;
  readonly summary?: string;
  readonly description?: string;
  readonly hidden?: boolean;
  readonly examples?: readonly unknown[];
  readonly args?: Readonly<Record<string, ManifestInput>>;
  readonly flags?: Readonly<Record<string, ManifestInput>>;
  /** The tool whose command this is. */
  readonly tool?: string;
  readonly endsWithProgram?: boolean;
}

export interface ManifestInput {
  readonly name: string;
  readonly type?: 'option' | 'boolean';
  readonly char?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly multiple?: boolean;
  readonly options?: readonly string[];
  readonly allowNo?: boolean;
  readonly hidden?: boolean;
  readonly env?: string;
  readonly helpValue?: string;
}

const INTRODUCTION = `Every tool is a command of its name with dashes; the commands that people type most have output of
their own. On a terminal that output is for people; \`--json\` prints the exact result as one document and
nothing else. Progress goes to stderr. There is no colour when the output is no terminal or \`NO_COLOR\` is
set.`;

const EXIT_CODES = table(
  ['exit code', 'meaning'],
  [
    ['0', 'success'],
    ['1', 'the tool said no'],
    ['2', 'usage'],
    ['3', 'no daemon'],
    ["the program's own", 'of a command that ran one; 124 its time-out, 128+n its signal, 125 when `wc` itself failed'],
  ],
);

/** `docs/cli.md`: all commands, first those with output of their own. */
export function cliPage(manifest: CommandManifest, catalog: Catalog): string {
  const generic = new Set(catalog.tools.map(({ command }) => command));
  const commands = Object.values(manifest.commands).filter(({ hidden }) => hidden !== true);
  const own = commands.filter(({ id }) => !generic.has(id)).sort(byId);
  const tools = commands.filter(({ id }) => generic.has(id)).sort(byId);
  return page(
    '<!-- Written by `npm run generate` from the commands; edit those. -->',
    '# Commands',
    INTRODUCTION,
    EXIT_CODES,
    ...own.map(commandSection),
    '## A command for every tool',
    'Scalar inputs are flags, `--input` takes the whole body as JSON (`@file` or `-` for standard input).',
    table(
      ['command', 'what it does'],
      tools.map(({ id, summary, tool }) => [`[\`wc ${id}\`](tools/${tool ?? id.replaceAll('-', '_')}.md)`, summary ?? '']),
    ),
  );
}

function commandSection(command: ManifestCommand): string {
  const args = Object.values(command.args ?? {}).filter(({ hidden }) => hidden !== true);
  const flags = Object.values(command.flags ?? {}).filter(({ hidden }) => hidden !== true);
  const explained = [...args.map(argumentRow), ...flags.map(flagRow)];
  return page(
    `## \`wc ${command.id.replaceAll(':', ' ')}\``,
    command.summary ?? null,
    command.description ?? null,
    command.endsWithProgram === true ? "It ends with the program's exit code." : null,
    fence('sh', usage(command, args)),
    explained.length === 0 ? null : table(['', 'meaning'], explained),
  ).trimEnd();
}

function usage({ id }: ManifestCommand, args: readonly ManifestInput[]): string {
  const words = args.map((argument) => (argument.required === true ? argument.name.toUpperCase() : `[${argument.name.toUpperCase()}]`));
  return ['wc', ...id.split(':'), ...words, '[FLAGS]'].join(' ');
}

function argumentRow(argument: ManifestInput): string[] {
  return [`\`${argument.name.toUpperCase()}\``, meaning(argument)];
}

function flagRow(flag: ManifestInput): string[] {
  const long = flag.allowNo === true ? `--[no-]${flag.name}` : `--${flag.name}`;
  const value = flag.type === 'option' ? ` ${flag.helpValue ?? flag.name.toUpperCase()}` : '';
  const short = flag.char === undefined ? '' : `-${flag.char}, `;
  return [`\`${short}${long}${value}\``, meaning(flag)];
}

function meaning({ summary, description, options, multiple, required, env }: ManifestInput): string {
  const notes = [
    options === undefined ? '' : `one of ${options.map((option) => `\`${option}\``).join(', ')}`,
    multiple === true ? 'may be repeated' : '',
    required === true ? 'required' : '',
    env === undefined ? '' : `or \`${env}\``,
  ].filter((note) => note !== '');
  const text = summary ?? description ?? '';
  return notes.length === 0 ? text : `${text}${text === '' ? '' : ' '}(${notes.join('; ')})`;
}

function byId(one: ManifestCommand, other: ManifestCommand): number {
  return one.id < other.id ? -1 : 1;
}
