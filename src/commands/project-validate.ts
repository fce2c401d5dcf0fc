import { MAX_TIMEOUT_SECS } from '../protocol/execution-limits.js';
import type { Progress } from '../protocol/api.js';
import { Flags } from './framework/oclif.js';
import ToolCommand, { type ParsedLine } from './framework/tool-command.js';
import { definedOnly } from './framework/wc-command.js';

/** What the report of a test run begins with. */
const REPORT_BEGIN = '{"wc_report"';

/** `wc project-validate ACTION`: it waits for the end. */
export default class ProjectValidateCommand extends ToolCommand {
  static override examples = [
    '<%= config.bin %> project-validate test',
    '<%= config.bin %> project-validate test --package packages/core --filter "parses dates"',
    '<%= config.bin %> project-validate check --adapter python --progress',
  ];
  static override flags = {
    package: Flags.string({ summary: 'Only this package: a crate, a Go pattern, or a folder; may be repeated.', multiple: true, multipleNonGreedy: true, exclusive: ['scope'] }),
    'all-packages': Flags.boolean({ summary: 'Every package of the workspace.', exclusive: ['package', 'scope'] }),
    filter: Flags.string({ summary: 'Only tests whose names match, as the test runner matches names.', exclusive: ['test'] }),
    'min-tests': Flags.integer({ summary: 'So many tests must have run.', min: 1, exclusive: ['test'] }),
    'require-tests': Flags.boolean({ summary: 'At least one test must have run (default).', allowNo: true, exclusive: ['test'] }),
  };

  private outputIsReport: boolean | undefined;

  protected override async parseLine(): Promise<ParsedLine> {
    const line = await super.parseLine();
    if (line.whole) return line;
    const { package: packages, 'all-packages': all, filter, 'min-tests': minimum, 'require-tests': required } = line.flags;
    const scope = definedOnly({ packages, all_packages: all });
    const test = definedOnly({ filter, require_tests: required, min_tests: minimum });
    return {
      ...line,
      args: {
        sync_wait_secs: MAX_TIMEOUT_SECS,
        ...(Object.keys(scope).length === 0 ? {} : { scope }),
        ...(Object.keys(test).length === 0 ? {} : { test }),
        ...line.args,
      },
    };
  }

  /** A test run's standard output is its report, which is read and shown in the end. */
  protected override showProgress(progress: Progress): void {
    if ('stream' in progress && progress.stream === 'stdout') {
      this.outputIsReport ??= progress.text.startsWith(REPORT_BEGIN);
      if (this.outputIsReport) return;
    }
    super.showProgress(progress);
  }
}
