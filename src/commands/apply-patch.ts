import { renderEdits, type Style } from '../client/render/index.js';
import type { JsonObject } from '../protocol/tool-result.js';
import { readFileOrInput } from './framework/read-input.js';
import ToolCommand, { type TakenWords } from './framework/tool-command.js';
import { UsageError } from './framework/usage-error.js';

/** `wc apply-patch FILE|-`: a patch out of a file or a pipe, and a diff of what it did. */
export default class ApplyPatchCommand extends ToolCommand {
  static override usage = 'apply-patch FILE|- [FLAGS]';
  static override examples = ['<%= config.bin %> apply-patch fix.patch --dry-run', 'cat fix.patch | <%= config.bin %> apply-patch -'];

  protected override takeWords(words: readonly string[], flags: Readonly<Record<string, unknown>>): TakenWords {
    const [file, ...rest] = words;
    if (file === undefined) return { words, args: {} };
    if (flags['patch'] !== undefined) throw new UsageError('The patch is given twice: as a file, and by --patch.');
    return { words: rest, args: { patch: readFileOrInput(file) } };
  }

  protected override complete(args: Record<string, unknown>): Record<string, unknown> {
    return { include_diff: true, ...args };
  }

  protected override render(output: JsonObject, style: Style): string {
    return renderEdits(output, style);
  }
}
