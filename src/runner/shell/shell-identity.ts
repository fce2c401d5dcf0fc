import type { RunnerSettings } from '../../protocol/runner/settings.js';

/** Who a shell is; nothing of it ever changes (spec 03 §10). */
export interface ShellIdentity {
  readonly shellId: string;
  readonly project: string;
  readonly sessionId: string;
  readonly shell: 'sh' | 'bash';
  /** The project's root, absolute and without links. */
  readonly rootPath: string;
  /** Relative to the project's root. */
  readonly initialCwd: string;
  /** Wall clock, Unix milliseconds. */
  readonly openedAtMs: number;
  /** What was in force when it was opened. */
  readonly settings: RunnerSettings;
}
