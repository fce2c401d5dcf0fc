import { EXIT } from '../../client/index.js';
import { printable, printableLine } from '../../client/render/index.js';
import { fileRange } from '../framework/file-range.js';
import { Args, Flags } from '../framework/oclif.js';
import { ProjectCommand } from '../framework/project-command.js';
import { UsageError } from '../framework/usage-error.js';

interface ReadItem {
  readonly success: boolean;
  readonly path: string;
  readonly text?: string;
  readonly has_more?: boolean;
  readonly next_start_line?: number | null;
  readonly error_kind?: string;
  readonly message?: string;
}

/** `wc files read PATH[:FROM[-TO]]…`: the text, and nothing else, on standard output. */
export default class FilesReadCommand extends ProjectCommand {
  static override summary = 'Read files of a project, whole or by lines.';
  static override args = { path: Args.string({ description: 'Project-relative, with lines if wanted: a.ts:10-40. May be repeated.', required: true }) };
  static override strict = false;
  static override flags = {
    'line-numbers': Flags.boolean({ char: 'n', summary: 'Begin each line with its number.' }),
    'max-result-bytes': Flags.integer({ summary: 'The size of the whole answer, at most 524288.', min: 1 }),
  };
  static override examples = ['<%= config.bin %> files read README.md', '<%= config.bin %> files read src/a.ts:10-40 src/b.ts'];

  async run(): Promise<number> {
    const { flags, argv } = await this.parse(FilesReadCommand);
    const words = argv as string[];
    if (words.length > 8) throw new UsageError('At most 8 files are read at once.');
    const args = { items: words.map(fileRange), with_line_numbers: flags['line-numbers'] || undefined, max_result_bytes: flags['max-result-bytes'] };
    const result = await this.callOnProject('read_files', args, flags, { repeatable: true });
    if (flags.json || !result.success) return this.finish(result, flags.json, () => '');
    this.noteBeside(result.output);
    const items = result.output['items'] as unknown as readonly ReadItem[];
    for (const item of items) this.show(item, items.length > 1);
    return items.every(({ success }) => success) ? EXIT.success : EXIT.refused;
  }

  private show(item: ReadItem, among: boolean): void {
    if (!item.success) {
      this.note(`${this.errStyle.bad('error')}: ${printable(item.message ?? item.path)} (${item.error_kind ?? 'unknown'})`);
      return;
    }
    if (among) this.print(this.outStyle.bold(`==> ${printableLine(item.path)} <==`));
    // A terminal gets no escape sequences out of files; a pipe gets the text as it is.
    process.stdout.write(process.stdout.isTTY ? printable(item.text ?? '') : (item.text ?? ''));
    if (item.has_more === true) this.note(this.errStyle.dim(`… there is more: ${printableLine(item.path)}:${item.next_start_line ?? ''}-`));
  }
}

