import type { EventId, ProjectId } from '../../protocol/ids.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { Principal } from '../kernel/principal.js';
import { CommitFailedError } from '../storage/commit-queue.js';
import type { NewWork, ResumedWork, WorkBegun } from './door.js';
import { newEventId } from './event-ids.js';
import { normalizeExecutionContext } from './execution-context.js';
import { storableInstruction, storableTitle } from './instruction.js';
import type { Ledger } from './ledger.js';
import { taskInstructionEvent } from './lifecycle-events.js';
import { capabilityOf, resumeCapability } from './mode-guards.js';
import { sessionClosed, unknownSession, upgradeDenied } from './refusals.js';
import { viewOf } from './session-head.js';

export interface WorkParts {
  readonly ledger: Ledger;
  /** Unix seconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

type Refused = { readonly failure: Failure };

/** Creates a Session and appends its instruction, in one commit. */
export async function createWork(parts: WorkParts, work: NewWork): Promise<WorkBegun | Refused> {
  const text = storableInstruction(work.instruction);
  if ('failure' in text) return text;
  const owner = ownerOf(work.owner, work.project);
  if ('failure' in owner) return owner;
  const context = normalizeExecutionContext(work.executionContext ?? {}, true);
  if ('failure' in context) return context;
  const capability = capabilityOf(work);
  const eventId = newEventId(parts.randomBytes);
  return committed(async () => {
    const created = await parts.ledger.create(
      {
        ...capability,
        ownerFingerprint: owner.fingerprint,
        project: work.project,
        title: storableTitle(work.title),
        executionContext: context.context,
        gitBaselineTree: work.gitBaselineTree ?? null,
      },
      (session) => [
        taskInstructionEvent({ eventId, session, now: parts.now(), transport: work.transport }, text.instruction, {
          requested: capability,
          capabilityChanged: false,
        }),
      ],
    );
    if ('failure' in created) return created;
    return { session: viewOf(created.head), instructionEvent: eventId, capabilityChanged: false };
  });
}

/** Appends an instruction to an Active Session and weighs its capability anew, in one commit. */
export async function resumeWork(parts: WorkParts, work: ResumedWork): Promise<WorkBegun | Refused> {
  const text = storableInstruction(work.instruction);
  if ('failure' in text) return text;
  const eventId: EventId = newEventId(parts.randomBytes);
  return committed(async () => {
    let capabilityChanged = false;
    const outcome = await parts.ledger.mutate<Failure>(work.sessionId, (session) => {
      if (session.lifecycle === 'closed') return { refused: sessionClosed(session.sessionId) };
      const resumed = resumeCapability(session, work, work.mayUpgrade);
      if ('denied' in resumed) return { refused: upgradeDenied(session.sessionId) };
      capabilityChanged = resumed.changed;
      const event = taskInstructionEvent(
        { eventId, session, now: parts.now(), transport: work.transport },
        text.instruction,
        {
          requested: resumed.requested,
          previous: { mode: session.mode, guards: session.guards },
          capabilityChanged: resumed.changed,
          ...(work.contextRefreshed === undefined ? {} : { contextRefreshed: work.contextRefreshed }),
        },
      );
      return { ...(resumed.changed ? { change: resumed.capability } : {}), events: [event] };
    });
    if ('missing' in outcome) return { failure: unknownSession() };
    if ('refused' in outcome) return { failure: outcome.refused };
    return { session: viewOf(outcome.head), instructionEvent: eventId, capabilityChanged };
  });
}

/** Who will own a new Session; refused without a stable identity (spec 01 §1). */
export function ownerOf(
  principal: Principal,
  project: ProjectId | null,
): { readonly fingerprint: NonNullable<Principal['fingerprint']> } | Refused {
  if (principal.authority?.kind === 'anonymous' && project === null) {
    return {
      failure: failure(
        'session_owner_identity_unavailable',
        'an anonymous caller can own a Session on a project only; name a project',
        { state_changed: false },
      ),
    };
  }
  if (principal.fingerprint === null) {
    return {
      failure: failure(
        'session_authority_identity_unavailable',
        'this credential has no stable identity that could own a Session; use a named token or the socket',
        { state_changed: false },
      ),
    };
  }
  return { fingerprint: principal.fingerprint };
}

async function committed(work: () => Promise<WorkBegun | Refused>): Promise<WorkBegun | Refused> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommitFailedError)) throw error;
    return {
      failure: failure('coding_continuity_commit_failed', `the work was not begun: ${error.message}`, { state_changed: false }),
    };
  }
}
