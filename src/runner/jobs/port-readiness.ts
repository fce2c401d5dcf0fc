import { holdersOf } from '../process/descriptor-holders.js';
import { listeningSockets } from '../process/listening-sockets.js';
import { isListening } from './loopback-port.js';
import { carriesExecution } from './proven-group.js';

/** The Job that is to listen. */
export interface ListeningJob {
  /** What its processes carry in their environment. */
  readonly executionId: string;
  /** The pids of its process tree. */
  readonly members: () => Promise<readonly number[]>;
}

/**
 * Whether a Job listens on a port of the loopback device (spec 00, decision 28). What
 * another process has been listening on all along is not the Job's doing. A listener that
 * nobody of this user holds may well be the Job's (a server behind sudo) and counts; on
 * systems that do not tell who listens, every listener counts.
 */
export class PortReadiness {
  /** Sockets that were seen to be somebody else's. */
  private foreign: ReadonlySet<string> = new Set();

  constructor(
    private readonly port: number,
    private readonly job: ListeningJob,
  ) {}

  async isReady(): Promise<boolean> {
    const sockets = await listeningSockets(this.port);
    if (sockets === null) return isListening(this.port);
    const candidates = new Set([...sockets].filter((socket) => !this.foreign.has(socket)));
    if (candidates.size === 0) return false;
    if ((await holdersOf(candidates, await this.job.members())).length > 0) return true;
    const holders = await holdersOf(candidates);
    if (holders.length === 0) return true;
    for (const pid of holders) if (await carriesExecution(pid, this.job.executionId)) return true;
    this.foreign = sockets;
    return false;
  }
}
