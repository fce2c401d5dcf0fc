import { EXIT } from '../../client/index.js';
import type { FoundItem } from '../../client/render/index.js';
import { leftOutText, renderFound } from '../../client/render/index.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import { Args, Flags } from '../framework/oclif.js';
import { ProjectCommand } from '../framework/project-command.js';
import { definedOnly } from '../framework/wc-command.js';

/** `wc files search PATTERN [PATH]`: one query, its matches as grep writes them. */
export default class FilesSearchCommand extends ProjectCommand {
  static override summary = 'Search the files of a project.';
  static override args = {
    pattern: Args.string({ description: 'A regular expression, or with --literal the text itself.', required: true }),
    path: Args.string({ description: 'Project-relative folder or file; the whole project when left out.' }),
  };
  static override flags = {
    literal: Flags.boolean({ char: 'F', summary: 'The pattern is the text itself.' }),
    files: Flags.boolean({ char: 'l', summary: 'Only the names of files with a match.', exclusive: ['count'] }),
    count: Flags.boolean({ char: 'c', summary: 'Only the number of matches in each file.' }),
    context: Flags.integer({ char: 'C', summary: 'Lines before and after each match, up to 80.', min: 0 }),
    include: Flags.string({ char: 'g', summary: 'Only files that match this glob; may be repeated.', multiple: true, multipleNonGreedy: true, helpValue: 'GLOB' }),
    exclude: Flags.string({ summary: 'No files that match this glob; may be repeated.', multiple: true, multipleNonGreedy: true, helpValue: 'GLOB' }),
    'include-ignored': Flags.boolean({ summary: 'Files that Git ignores as well.' }),
    limit: Flags.integer({ summary: 'At most so many, up to 1000.', min: 1 }),
    offset: Flags.integer({ summary: 'Leave out so many from the beginning.', min: 0 }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(FilesSearchCommand);
    const query = definedOnly({
      pattern: args.pattern,
      path: args.path,
      pattern_mode: flags.literal ? 'literal' : undefined,
      result_mode: flags.files ? 'files_with_matches' : flags.count ? 'count' : undefined,
      context_before: flags.context,
      context_after: flags.context,
      include_globs: flags.include,
      exclude_globs: flags.exclude,
      include_ignored: flags['include-ignored'] || undefined,
      limit: flags.limit,
      offset: flags.offset,
    });
    const result = await this.callOnProject('search_project_texts', { queries: [query] }, flags, { repeatable: true });
    if (flags.json || !result.success) return this.finish(result, flags.json, () => '');
    this.noteBeside(result.output);
    const [item] = result.output['items'] as readonly JsonObject[];
    if (item?.['success'] !== true) return this.finish(failedItem(item), false, () => '');
    const found = item as unknown as FoundItem;
    this.print(renderFound(found, this.outStyle));
    for (const note of this.notes(found)) this.note(this.errStyle.dim(note));
    return EXIT.success;
  }

  private notes(found: FoundItem): string[] {
    const leftOut = leftOutText(found);
    const next = found.next_offset ?? null;
    return [
      ...(found.total_count === 0 ? ['Nothing was found.'] : []),
      ...(next === null ? [] : [`… ${found.total_count} in all: --offset ${next}`]),
      ...(leftOut === null ? [] : [leftOut]),
    ];
  }
}

function failedItem(item: JsonObject | undefined): ToolResult {
  const { message, ...output } = item ?? {};
  return { success: false, output, error: typeof message === 'string' ? message : 'The search failed.' };
}
