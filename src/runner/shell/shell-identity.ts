import type { FoundResource } from '../ssh/index.js';
import type { RunnerSettings } from '../../protocol/runner/settings.js';

/** Who a shell is; nothing of it ever changes (spec 03 §10). */
export interface ShellIdentity {
  readonly shellId: string;
  readonly project: string;
  readonly sessionId: string;
  readonly shell: 'sh' | 'bash';
  /** The project's root, absolute and without links. */
  readonly rootPath: string;
  /** Relative to the project's root; absolute on a resource. */
  readonly initialCwd: string;
  /** The resource that it is on, as it was when it was opened; null on this machine. */
  readonly remote: FoundResource | null;
  /** Wall clock, Unix milliseconds. */
  readonly openedAtMs: number;
  /** What was in force when it was opened. */
  readonly settings: RunnerSettings;
}
