import type { z } from 'zod';
import type { EditedFile, editFilesMethod, FileChange } from '../../../protocol/runner/edits.js';
import type { Refusal } from '../../../protocol/runner/project-root.js';
import { shown, verifyRoot, type InsideRoot } from '../../confinement/index.js';
import { Ended, untilEnded } from '../../deadline.js';
import { isRefusal, refuse } from '../../request.js';
import type { BoundedWork } from '../bounded-work.js';
import { readRevision } from '../read-revision.js';
import { plainConflict } from './conflict.js';
import { conflictRefusal, NOTHING_WRITTEN, refuseChange } from './edit-refusal.js';
import { planChange } from './plan-change.js';
import { isNoChange, type PlannedChange } from './planned-change.js';
import { writeChanges, type WriteOutcome } from './write-changes.js';

const WRITE_MS = 60_000;

type Params = z.output<typeof editFilesMethod.params>;
type Answer = z.input<typeof editFilesMethod.result>;

/**
 * Applies a batch of changes as one (spec 04 §7.6): plan every change, then write.
 *
 * @param work bounds planning; writing, once begun, is carried through or taken back
 */
export async function editFiles(params: Params, work: BoundedWork): Promise<Answer | Refusal> {
  const planned = await work.run(() => planAll(params, work.signal));
  if (isRefusal(planned)) return withoutEffect(planned);
  const changing = planned.filter((change) => !isNoChange(change));
  if (!params.dry_run && changing.length > 0) {
    const outcome = await boundedWrite(planned);
    if (outcome === 'hangs') return outcomeUnknown();
    if (!outcome.written) return notWritten(outcome, params.changes);
  }
  return {
    would_change: changing.length > 0,
    applied_count: params.dry_run ? 0 : changing.length,
    files: planned.map((change) => editedFile(change, params.project)),
  };
}

/** Writing has a bound of its own, so that a file system that hangs gets an answer too. */
async function boundedWrite(planned: readonly PlannedChange[]): Promise<WriteOutcome | 'hangs'> {
  try {
    return await untilEnded(writeChanges(planned), AbortSignal.timeout(WRITE_MS));
  } catch (error) {
    if (error instanceof Ended) return 'hangs';
    throw error;
  }
}

async function planAll(params: Params, signal: AbortSignal): Promise<PlannedChange[] | Refusal> {
  const root = await verifyRoot(params.root);
  if (isRefusal(root)) return root;
  const planned: PlannedChange[] = [];
  for (const [changeIndex, change] of params.changes.entries()) {
    const plan = await planChange(change, changeIndex, { root, project: params.project, signal });
    if (isRefusal(plan)) return plan;
    planned.push(plan);
  }
  return repeatedPath(planned) ?? planned;
}

/** Each path occurs once in a batch, however it is written, links followed. */
function repeatedPath(planned: readonly PlannedChange[]): Refusal | null {
  const seen = new Set<string>();
  for (const [changeIndex, change] of planned.entries()) {
    for (const place of placesOf(change)) {
      if (seen.has(place.path)) {
        const at = { changeIndex, path: place.relative };
        return refuseChange('invalid_arguments', `${shown(place.relative)} occurs twice in the batch.`, at);
      }
      seen.add(place.path);
    }
  }
  return null;
}

function placesOf(change: PlannedChange): readonly InsideRoot[] {
  if (change.kind === 'create') return [change.place];
  return change.kind === 'rename' ? [change.file.place, change.to] : [change.file.place];
}

/** A refusal of planning: nothing was written, whoever refused. */
function withoutEffect({ refused }: Refusal): Refusal {
  return { refused: { ...refused, detail: { ...NOTHING_WRITTEN, ...refused.detail } } };
}

function outcomeUnknown(): Refusal {
  return refuse('outcome_unknown', 'The file system did not answer in time; look at the files before going on.', {
    changed: null,
    state_changed: null,
    execution_state: 'outcome_unknown',
    rollback_complete: false,
  });
}

function notWritten(outcome: Extract<WriteOutcome, { written: false }>, changes: readonly FileChange[]): Refusal {
  const { changeIndex, cause, rollbackComplete } = outcome;
  const at = { changeIndex, path: changes[changeIndex]?.path ?? '' };
  const effect = rollbackComplete
    ? { rollback_complete: true }
    : { rollback_complete: false, state_changed: null, changed: null, execution_state: 'outcome_unknown' };
  if (cause === 'stale') return withEffect(conflictRefusal(plainConflict('sha256_mismatch', null), at), effect);
  if (cause.code === 'EEXIST') {
    return withEffect(refuseChange('already_exists', `${shown(at.path)}: its new name was taken meanwhile.`, at), effect);
  }
  const taken = rollbackComplete
    ? 'everything was taken back'
    : 'not everything could be taken back: look at the files before going on';
  const code = cause.code ?? 'unknown';
  const failed = refuseChange('edit_write_failed', `${shown(at.path)} could not be written (${code}); ${taken}.`, at, {
    reason_code: code.toLowerCase(),
  });
  return withEffect(failed, effect);
}

function withEffect({ refused }: Refusal, effect: Record<string, boolean | string | null>): Refusal {
  return { refused: { ...refused, detail: { ...refused.detail, ...effect } } };
}

function editedFile(change: PlannedChange, project: string): EditedFile {
  const old = change.kind === 'create' ? null : change.file;
  const now = stateAfter(change);
  return {
    kind: change.kind,
    path: change.kind === 'create' ? change.place.relative : change.file.place.relative,
    to_path: change.kind === 'rename' ? change.to.relative : null,
    old_sha256: old?.sha256 ?? null,
    new_sha256: now?.sha256 ?? null,
    read_revision: now === null ? null : readRevision(project, now.place.realRelative, now.sha256),
    changed: !isNoChange(change),
  };
}

/** Where a change leaves which content; null when it leaves none. */
function stateAfter(change: PlannedChange): { readonly place: InsideRoot; readonly sha256: string } | null {
  switch (change.kind) {
    case 'create':
      return { place: change.place, sha256: change.newSha256 };
    case 'edit':
      return { place: change.file.place, sha256: change.newSha256 };
    case 'rename':
      return { place: change.to, sha256: change.file.sha256 };
    case 'delete':
      return null;
  }
}
