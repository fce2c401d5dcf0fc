import type { Database } from 'better-sqlite3';
import type { MessageId, ProjectId, SessionId, WindowKey } from '../../protocol/ids.js';
import { newMessageId } from '../board/index.js';
import type { Domain } from '../domain.js';
import type { WindowPort } from '../kernel/collaboration-ports.js';
import type { ProjectPort } from '../kernel/ports.js';
import type { Principal } from '../kernel/principal.js';
import type { OperatorRoute } from '../operator-route.js';
import type { CommitQueue } from '../storage/commit-queue.js';
import { LoopTiming } from './loop-timing.js';
import { WindowMessageStore } from './message-store.js';
import { peersInAnswer } from './peers.js';
import { windowRoutes } from './routes.js';
import { postPeerMessage } from './tools/post-peer-message.js';
import { readCurrentWindowActivity, type WindowEventSource } from './tools/read-current-window-activity.js';
import { replyToOperator } from './window-reply.js';
import { WindowStore } from './window-store.js';

export { windowsSchema } from './schema.js';
export type { WindowEventSource } from './tools/read-current-window-activity.js';

export interface WindowsDeps {
  /** `ledger.db`, opened with `windowsSchema` among its schemas. */
  readonly database: Database;
  readonly commits: CommitQueue;
  readonly projects: Pick<ProjectPort, 'isVisible'>;
  readonly events: WindowEventSource;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

/** Windows: which calls came from one host window, and what windows of one principal say to each other (spec 02 §C, §D). */
export interface WindowsDomain extends Domain, WindowPort {
  readonly routes: readonly OperatorRoute[];
  /** The Sessions that a window was tied to, the latest first; candidates and no more. */
  linkedSessions(window: WindowKey, principal: Principal): readonly SessionId[];
}

export function createWindowsDomain(deps: WindowsDeps): WindowsDomain {
  const { commits, nowMs, monotonicMs } = deps;
  const windows = new WindowStore(deps.database);
  const messages = new WindowMessageStore(deps.database);
  const timing = new LoopTiming();
  const parts = { windows, messages, commits, nowMs, monotonicMs, newMessageId: (): MessageId => newMessageId(deps.randomBytes) };
  /** What is only observed is written behind the answer; a write that fails costs a hint. */
  const writeBehind = (write: () => void): void => void commits.enqueue(write).catch(() => undefined);

  return {
    name: 'windows',
    tools: [
      postPeerMessage(parts),
      readCurrentWindowActivity({
        source: deps.events,
        projects: deps.projects,
        underWay: (window, principal) => timing.underWay(timingKey(window, principal)),
      }),
    ],
    routes: windowRoutes(parts),

    arrive: ({ window, principal, source, tool, meaningful, observedAtMs, traceId }) => {
      const leave = timing.arrive({ key: timingKey(window, principal), tool, meaningful, observedAtMs, traceId });
      return {
        leave: ({ project, handedAtMs, streaming, clean }) => {
          if (meaningful && isNamed(principal)) {
            const activity = { window, source, lastMeaningfulAtMs: handedAtMs };
            writeBehind(() => windows.noteActivity(principal.principalKey, project, activity));
          }
          return leave({ handedAtMs, streaming, clean });
        },
      };
    },
    link: ({ window, principal }, links, atMs) => {
      if (links.length === 0) return;
      writeBehind(() => {
        for (const link of links) windows.noteLink(principal.principalKey, window, link, atMs);
      });
    },
    affinity: ({ window, principal }, project: ProjectId) => {
      commits.flush();
      return windows.affinity(principal.principalKey, window, project);
    },
    peers: (call, room) => peersInAnswer(parts, call, room),
    reply: (owner, reply) => replyToOperator(parts, owner, reply),
    linkedSessions: (window, principal) => {
      commits.flush();
      return windows.linkedSessions(principal.principalKey, window);
    },
  };
}

function timingKey(window: WindowKey, principal: Principal): string {
  return `${window}\0${principal.principalKey}`;
}

function isNamed({ authority }: Principal): boolean {
  return authority !== null && authority.kind !== 'anonymous';
}
