import type { Purpose } from '../../protocol/execution-state.js';
import type { Program } from '../../protocol/runner/execution.js';
import type { Json } from '../../protocol/tool-result.js';
import type { ExpectationDeclaration } from './expectation.js';

/** One execution as its tool wants it, every default filled in. */
export interface ExecutionPlan {
  /** The tool that asks. */
  readonly source: string;
  readonly program: Program;
  /** The program as text, for its identity; it goes no further. */
  readonly commandText: string;
  /** What its preview is made of; left out where the command's text is. */
  readonly shownAs?: string;
  readonly stdin: string | null;
  /** Relative to the project's root, null for the root itself. */
  readonly cwd: string | null;
  /** The resource that it runs on, and `cwd` is a folder of; null is this machine. */
  readonly resource: string | null;
  readonly purpose: Purpose;
  readonly timeoutSecs: number;
  /** `job` answers at once with a Job. */
  readonly mode: 'foreground' | 'job';
  readonly syncWaitSecs: number | undefined;
  /** It never becomes a Job: it is waited for to its end, or to its time-out. */
  readonly synchronous?: true;
  readonly declaration: ExpectationDeclaration;
  readonly assertionName: string | undefined;
  /** Set by structured validation: the run's own identity, and what its Job keeps for its end. */
  readonly validator?: { readonly identity: string; readonly annotations: Readonly<Record<string, Json>> };
}
