import type { Refusal } from '../../protocol/runner/project-root.js';
import type { ShellCommandReport, ShellView } from '../../protocol/runner/shells.js';
import { notStarted } from '../jobs/not-started.js';
import type { PersistentShell } from './persistent-shell.js';
import type { ShellIdentity } from './shell-identity.js';

/** How many shells that are over can still be asked about (spec 03 §3). */
const MAX_ENDED_SHELLS = 128;

/** A shell that is not open any more; its id is never used again. */
export interface EndedShell {
  readonly identity: Pick<ShellIdentity, 'shellId' | 'project' | 'sessionId'>;
  view(): ShellView;
  readonly lastCommand: ShellCommandReport | null;
}

/** What a request says of its shell, all of which must match. */
export interface ShellBinding {
  readonly shell_id: string;
  readonly project: string;
  readonly session_id: string;
}

/** The shells of this Runner: one open shell a Session, so many in all, and those that are over. */
export class ShellInventory {
  private readonly open = new Map<string, PersistentShell>();
  private readonly ended = new Map<string, EndedShell>();
  /** Sessions whose shell is about to be started. */
  private readonly reserved = new Set<string>();

  get openCount(): number {
    return this.open.size + this.reserved.size;
  }

  /** Keeps a place for the shell of a Session, until it is added or given up. */
  reserve(sessionId: string, maxShells: number): Refusal | null {
    const other = this.all().find(({ identity }) => identity.sessionId === sessionId);
    if (other !== undefined || this.reserved.has(sessionId)) {
      const message = `This Session has an open shell${other === undefined ? '' : `, ${other.identity.shellId}`}; use it, or close it first.`;
      return notStarted('persistent_shell_already_open', 'runtime_error', message, {
        ...(other === undefined ? {} : { shell_id: other.identity.shellId }),
      });
    }
    if (this.openCount >= maxShells) {
      return notStarted('persistent_shell_limit_reached', 'runtime_error', `${maxShells} shells are open, which is the limit; close one first.`, {
        max_shells: maxShells,
      });
    }
    this.reserved.add(sessionId);
    return null;
  }

  giveUp(sessionId: string): void {
    this.reserved.delete(sessionId);
  }

  add(shell: PersistentShell): void {
    this.reserved.delete(shell.identity.sessionId);
    this.open.set(shell.identity.shellId, shell);
  }

  /** Moves a shell to those that are over, and forgets the oldest one beyond the bound. */
  settle(shell: EndedShell): void {
    this.open.delete(shell.identity.shellId);
    this.ended.set(shell.identity.shellId, shell);
    for (const oldest of this.ended.keys()) {
      if (this.ended.size <= MAX_ENDED_SHELLS) break;
      this.ended.delete(oldest);
    }
  }

  /** The open shell that a request is bound to, or what there is of one that is over; null when anything differs. */
  find({ shell_id: id, project, session_id: sessionId }: ShellBinding): { readonly open: PersistentShell } | { readonly ended: EndedShell } | null {
    const matches = ({ identity }: EndedShell): boolean => identity.project === project && identity.sessionId === sessionId;
    const open = this.open.get(id);
    if (open !== undefined) return matches(open) ? { open } : null;
    const ended = this.ended.get(id);
    return ended !== undefined && matches(ended) ? { ended } : null;
  }

  /** Every open shell. */
  all(): readonly PersistentShell[] {
    return [...this.open.values()];
  }
}
