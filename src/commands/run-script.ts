import { MAX_SCRIPT_BYTES } from '../protocol/execution-limits.js';
import { readFileOrInput } from './framework/read-input.js';
import RunProgramCommand from './framework/run-program-command.js';
import { scriptLanguage } from './framework/script-language.js';
import type { TakenWords } from './framework/tool-command.js';
import { UsageError } from './framework/usage-error.js';

/** `wc run-script FILE [-- ARGUMENT…]`: a script's text, run by the interpreter of its language. */
export default class RunScriptCommand extends RunProgramCommand {
  static override usage = 'run-script FILE [FLAGS] [-- ARGUMENT…]';
  static override examples = [
    '<%= config.bin %> run-script tools/report.py -- --month 5',
    "echo 'console.log(process.version)' | <%= config.bin %> run-script --language javascript -",
  ];

  /** The one word is a file, or `-` for standard input; what it holds is the script. */
  protected override takeWords(words: readonly string[], flags: Readonly<Record<string, unknown>>): TakenWords {
    const [file, ...rest] = words;
    if (file === undefined) return { words, args: {} };
    if (flags['script'] !== undefined) throw new UsageError('The script is given twice: as a file, and by --script.');
    const script = readScript(file);
    const language = (flags['language'] as string | undefined) ?? scriptLanguage(file, script);
    if (language === null) throw new UsageError(`Neither the name of ${file} nor its first line says its language.`, 'Say it with --language.');
    return { words: rest, args: { script, language } };
  }
}

function readScript(file: string): string {
  const text = readFileOrInput(file);
  if (text === '') throw new UsageError(`${file} is empty.`);
  if (Buffer.byteLength(text) > MAX_SCRIPT_BYTES) {
    throw new UsageError(`${file} is larger than a script may be (${MAX_SCRIPT_BYTES / 1_024} KiB).`, 'Run it where it stands with run-process.');
  }
  return text;
}
