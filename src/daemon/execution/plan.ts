import type { Purpose } from '../../protocol/execution-state.js';
import type { Program } from '../../protocol/runner/execution.js';
import type { Json } from '../../protocol/tool-result.js';
import type { ExpectationDeclaration } from './expectation.js';

/** One execution as its tool wants it, every default filled in. */
export interface ExecutionPlan {
  /** The tool that asks. */
  readonly source: string;
  readonly program: Program;
  /** The program as one line of text, for its preview and its identity; it goes no further. */
  readonly commandText: string;
  readonly stdin: string | null;
  /** Relative to the project's root, null for the root itself. */
  readonly cwd: string | null;
  readonly purpose: Purpose;
  readonly timeoutSecs: number;
  /** `job` answers at once with a Job. */
  readonly mode: 'foreground' | 'job';
  readonly syncWaitSecs: number | undefined;
  readonly declaration: ExpectationDeclaration;
  readonly assertionName: string | undefined;
  /** Set by structured validation: the run's own identity, and what its Job keeps for its end. */
  readonly validator?: { readonly identity: string; readonly annotations: Readonly<Record<string, Json>> };
}
