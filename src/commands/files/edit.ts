import { renderEdits } from '../../client/render/index.js';
import { Args, Flags } from '../framework/oclif.js';
import { ProjectCommand } from '../framework/project-command.js';
import { UsageError } from '../framework/usage-error.js';
import { definedOnly } from '../framework/wc-command.js';

/** What kind of edit each flag is, and the member that its text stands in. */
const EDITS = {
  replace: { kind: 'replace_exact', text: 'old_text' },
  delete: { kind: 'delete_exact', text: 'old_text' },
  'insert-before': { kind: 'insert_before', text: 'anchor_text' },
  'insert-after': { kind: 'insert_after', text: 'anchor_text' },
} as const;

/**
 * `wc files edit PATH --replace OLD --with NEW`: one exact edit of one file, shown as a diff. Batches and
 * new files go through `wc edit-project-files`.
 */
export default class FilesEditCommand extends ProjectCommand {
  static override summary = 'Make one exact edit in a file of a project.';
  static override args = { path: Args.string({ description: 'Project-relative.', required: true }) };
  static override flags = {
    replace: Flags.string({ summary: 'The text that stands in the file, exactly.', helpValue: 'TEXT', exclusive: ['delete', 'insert-before', 'insert-after'] }),
    with: Flags.string({ summary: 'The text that takes its place, or that is inserted.', helpValue: 'TEXT' }),
    delete: Flags.string({ summary: 'The text to take out.', helpValue: 'TEXT', exclusive: ['insert-before', 'insert-after', 'with'] }),
    'insert-before': Flags.string({ summary: 'The text to insert before.', helpValue: 'TEXT', exclusive: ['insert-after'] }),
    'insert-after': Flags.string({ summary: 'The text to insert after.', helpValue: 'TEXT' }),
    occurrence: Flags.integer({ summary: 'Which one, when it stands there more than once.', min: 1, exclusive: ['expected-matches'] }),
    'expected-matches': Flags.integer({ summary: 'Replace all of them, which must be so many.', min: 1 }),
    'read-revision': Flags.integer({ summary: 'Only if the file is still that snapshot.', min: 1 }),
    'dry-run': Flags.boolean({ summary: 'Say what would change, and write nothing.' }),
  };
  static override examples = ["<%= config.bin %> files edit src/a.ts --replace 'let x' --with 'const x'"];

  async run(): Promise<number> {
    const { args, flags } = await this.parse(FilesEditCommand);
    const [name] = (Object.keys(EDITS) as (keyof typeof EDITS)[]).filter((flag) => flags[flag] !== undefined);
    if (name === undefined) throw new UsageError('Say what to edit: --replace, --delete, --insert-before or --insert-after.');
    if (name !== 'delete' && flags.with === undefined) throw new UsageError(`--${name} needs --with.`);
    if (flags['expected-matches'] !== undefined && name !== 'replace') throw new UsageError('--expected-matches belongs to --replace.');
    const { kind, text } = EDITS[name];
    const edit = definedOnly({
      kind,
      [text]: flags[name],
      new_text: flags.with,
      occurrence: flags.occurrence,
      expected_match_count: flags['expected-matches'],
    });
    const change = definedOnly({ kind: 'edit', path: args.path, expected_read_revision: flags['read-revision'], edits: [edit] });
    const request = { changes: [change], dry_run: flags['dry-run'] || undefined, include_diff: true };
    const result = await this.callOnProject('edit_project_files', request, flags);
    return this.finish(result, flags.json, renderEdits);
  }
}
