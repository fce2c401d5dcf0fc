import { z } from 'zod';
import type { JsonObject } from '../../../protocol/tool-result.js';
import { shortened, type ShortenedList } from '../shorten.js';
import type { BoardSnapshot, SessionMessage, SessionSnapshot } from '../../sessions/index.js';
import type { FinishedCall } from '../../validation/index.js';
import type { TaskHistory } from '../evidence/task-history.js';
import { boundaryIdentity, type BoundaryIdentity } from './boundary-identity.js';
import { failureLocations, type FailureLocation } from './failure-locations.js';
import type { NextStep } from './next-steps.js';
import { relevantFiles, type RelevantFile } from './relevant-files.js';
import { repeatedFailure, type RepeatedFailure } from './repeated-failure.js';

/** UTF-8 bytes of the whole as JSON (spec 06 §9). */
export const TASK_CONTEXT_BYTES = 4_096;

const MAX_NOTES = 10;
const NOTED: ReadonlySet<SessionMessage['kind']> = new Set(['decision', 'progress']);

/** Where to take a task up again: pointers with the events that they come from, and never a proof. */
export type TaskContext = {
  readonly version: 1;
  readonly boundary: BoundaryIdentity;
  readonly relevant_files: readonly RelevantFile[];
  readonly failure_locations: readonly FailureLocation[];
  readonly notes: readonly { readonly message_id: string; readonly kind: SessionMessage['kind'] }[];
  readonly repeated_failure: RepeatedFailure | null;
  readonly next_steps: readonly NextStep[];
  /** The exact call that goes on, and what it needs beside these arguments. */
  readonly continuation: { readonly tool: string; readonly arguments: JsonObject; readonly requires: readonly string[] };
  readonly advisory: true;
  readonly truncated: boolean;
};

export const taskContextSchema = z.strictObject({
  version: z.literal(1),
  boundary: z.strictObject({ identity: z.string().nullable(), event_id: z.string().nullable() }),
  relevant_files: z.array(z.looseObject({ path: z.string() })),
  failure_locations: z.array(z.looseObject({ name: z.string() })),
  notes: z.array(z.looseObject({ message_id: z.string() })),
  repeated_failure: z.looseObject({ identity: z.string() }).nullable(),
  next_steps: z.array(z.looseObject({ step: z.string() })),
  continuation: z.strictObject({ tool: z.string(), arguments: z.looseObject({}), requires: z.array(z.string()) }),
  advisory: z.literal(true),
  truncated: z.boolean(),
});

export interface ContextFacts {
  readonly snapshot: SessionSnapshot;
  readonly history: TaskHistory | null;
  readonly board: BoardSnapshot | null;
  /** The checks that fail now, newest first. */
  readonly failing: readonly FinishedCall[];
  readonly nextSteps: readonly NextStep[];
}

/** The lists in the order in which they give way (spec 06 §8, §9). */
export const CONTEXT_LISTS = ['relevant_files', 'failure_locations', 'notes', 'next_steps'] as const;

/** The context of captured facts, at most 4,096 bytes of JSON. */
export function taskContext({ snapshot, history, board, failing, nextSteps }: ContextFacts): TaskContext {
  const { files, truncated: filesCut } = relevantFiles(history?.attempt ?? []);
  const { locations, truncated: locationsCut } = failureLocations(failing);
  const notes = (board?.messages ?? []).filter(({ kind }) => NOTED.has(kind)).toReversed();
  const whole: TaskContext = {
    version: 1,
    boundary: history === null ? { identity: null, event_id: null } : boundaryIdentity(snapshot, history.boundary),
    relevant_files: files,
    failure_locations: locations,
    notes: notes.slice(0, MAX_NOTES).map(({ message_id, kind }) => ({ message_id, kind })),
    repeated_failure: history === null ? null : repeatedFailure(history.attempt),
    next_steps: nextSteps,
    continuation: continuationCall(snapshot),
    advisory: true,
    truncated: filesCut || locationsCut || notes.length > MAX_NOTES,
  };
  return shortened(whole, TASK_CONTEXT_BYTES, CONTEXT_LISTS.map(contextList));
}

/** A closed Session is read; one that is open is resumed with the next instruction, which nobody but the caller has. */
function continuationCall({ session }: SnapshotOfSession): TaskContext['continuation'] {
  const { sessionId, lifecycle, project } = session;
  const resumable = lifecycle === 'active' && project !== null;
  return {
    tool: resumable ? 'work_on_project' : 'read_session_handoff',
    arguments: { session_id: sessionId },
    requires: resumable ? ['instruction'] : [],
  };
}

type SnapshotOfSession = Pick<SessionSnapshot, 'session'>;

/** One of the lists, as something that can be shortened from its end. */
export function contextList(name: (typeof CONTEXT_LISTS)[number]): ShortenedList<TaskContext> {
  return {
    items: (context) => context[name],
    withoutLast: (context, count) => ({ ...context, [name]: context[name].slice(0, -count), truncated: true }),
  };
}
