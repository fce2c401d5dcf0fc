import type { Command } from './oclif.js';
import { Config, Errors } from './oclif.js';
import { EXIT, packageRoot } from '../../client/index.js';
import { VERSION } from '../../protocol/version.js';
import { loadCommand } from './load-command.js';
import { endOnLostOutput } from './lost-output.js';
import { nearestNames } from './nearest-names.js';
import { reportError } from './report-error.js';
import { UsageError } from './usage-error.js';

/**
 * Runs one command line in the command framework and returns its exit code. Commands are
 * found in `oclif.manifest.json`, and only the one that runs is loaded.
 */
export async function runCommand(argv: readonly string[]): Promise<number> {
  let endsWithProgram = false;
  let command: readonly string[] = [];
  try {
    const config = await loadConfig();
    if (argv[0] === '--version') {
      process.stdout.write(`webcodex ${VERSION}\n`);
      return EXIT.success;
    }
    const words = argv[0] === 'help' ? argv.slice(1) : argv;
    if (argv[0] === 'help' || words.length === 0 || asksForHelp(words)) return await help(config, words);
    const found = findCommand(config, words);
    if (found === null) return await answerUnknown(config, words);
    endsWithProgram = found.command['endsWithProgram'] === true;
    if (endsWithProgram) endOnLostOutput({ endsWithProgram });
    command = found.command.id.split(':');
    const loaded = await loadCommand(moduleOf(found.command));
    loaded.id = found.command.id;
    return (await loaded.run([...found.rest], config)) as number;
  } catch (error) {
    return reportError(named(error, command), endsWithProgram);
  }
}

/** Where a command's class is: the manifest names its module as the build wrote it. */
function moduleOf({ relativePath = [] }: Command.Loadable): string {
  return relativePath.slice(2).join('/').replace(/\.js$/, '');
}

/** The commands of this package; oclif's plugins are no part of it, so none is looked for. */
async function loadConfig(): Promise<Config> {
  const root = packageRoot();
  return Config.load({ root, devPlugins: false, userPlugins: false, jitPlugins: false });
}

/** The longest run of leading words that names a command, and the words after it. */
export function findCommand(
  config: Pick<Config, 'findCommand'>,
  words: readonly string[],
): { readonly command: Command.Loadable; readonly rest: readonly string[] } | null {
  const flagAt = words.findIndex((word) => word.startsWith('-'));
  const plain = flagAt === -1 ? words.length : flagAt;
  for (let length = Math.min(plain, 3); length > 0; length -= 1) {
    const command = config.findCommand(words.slice(0, length).join(':'));
    if (command) return { command, rest: words.slice(length) };
  }
  return null;
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const own = end === -1 ? words : words.slice(0, end);
  return own.includes('--help') || own.includes('-h');
}

/** Help is read seldom, and its code is as large as all the rest of oclif. */
async function help(config: Config, words: readonly string[]): Promise<number> {
  const { showHelp } = await import('./show-help.js');
  return showHelp(config, words);
}

/** A topic alone shows what it holds; any other word is a mistake, and may be near a name. */
async function answerUnknown(config: Config, words: readonly string[]): Promise<number> {
  const [topic = '', sub] = words;
  const isTopic = config.topics.some(({ name }) => name === topic);
  if (isTopic && sub === undefined) return help(config, [topic]);
  const typed = isTopic ? `${topic} ${sub ?? ''}` : topic;
  const names = config.commandIDs.map((id) => id.replaceAll(':', ' '));
  const known = isTopic ? names.filter((name) => name.startsWith(`${topic} `)) : [...names, ...config.topics.map(({ name }) => name)];
  const near = nearestNames(typed, [...new Set(known)]);
  throw new UsageError(
    `'${typed}' is no command of wc.`,
    near.length > 0 ? `Did you mean ${near.map((name) => `'wc ${name}'`).join(' or ')}?` : "'wc --help' lists them.",
  );
}

/** What oclif's parser refuses is a mistake in the command line, said in one line. */
function named(error: unknown, command: readonly string[]): unknown {
  if (!(error instanceof Errors.CLIError)) return error;
  const message = error.message.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('See more help'));
  return new UsageError(message.map((line) => line.trim()).join(' ').replace(/\.?$/, '.'), `See '${['wc', ...command].join(' ')} --help'.`);
}
