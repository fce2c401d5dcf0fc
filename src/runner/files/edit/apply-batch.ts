import type { EditedFile, EditResult } from '../../../protocol/runner/edits.js';
import type { ProjectRoot, Refusal } from '../../../protocol/runner/project-root.js';
import { shown, verifyRoot, type InsideRoot } from '../../confinement/index.js';
import { Ended, untilEnded } from '../../deadline.js';
import { isRefusal, refuse } from '../../request.js';
import type { BoundedWork } from '../bounded-work.js';
import { readRevision } from '../read-revision.js';
import { changeDiff } from './change-diff.js';
import { plainConflict } from './conflict.js';
import type { EditJournal } from './edit-journal.js';
import { conflictRefusal, NOTHING_WRITTEN, refuseChange } from './edit-refusal.js';
import type { PlanContext } from './plan-change.js';
import { isNoChange, type PlannedChange } from './planned-change.js';
import { writeChanges, type WriteOutcome } from './write-changes.js';

const WRITE_MS = 60_000;

/** What every request that edits says. */
export interface BatchRequest {
  readonly root: ProjectRoot;
  readonly project: string;
  readonly dry_run: boolean;
  readonly include_diff: boolean;
}

/** Checks the changes of one request against the files, and writes nothing. */
export type PlanBatch = (context: PlanContext) => Promise<readonly PlannedChange[] | Refusal>;

/** Where a batch is carried out. */
export interface BatchPlace {
  /** Bounds planning; writing, once begun, is carried through or taken back. */
  readonly work: BoundedWork;
  readonly journal: EditJournal;
}

/** Applies a batch of changes as one (spec 04 §7.6): plan every change, then write. */
export async function applyBatch(request: BatchRequest, plan: PlanBatch, { work, journal }: BatchPlace): Promise<EditResult | Refusal> {
  const planned = await work.run(() => planAll(request, plan, work.signal));
  if (isRefusal(planned)) return withoutEffect(planned);
  const changing = planned.filter((change) => !isNoChange(change));
  if (!request.dry_run && changing.length > 0) {
    const outcome = await boundedWrite(planned, journal);
    if (outcome === 'hangs') return outcomeUnknown();
    if (!outcome.written) return notWritten(outcome, planned);
  }
  return {
    would_change: changing.length > 0,
    applied_count: request.dry_run ? 0 : changing.length,
    files: await editedFiles(planned, request),
  };
}

async function planAll(request: BatchRequest, plan: PlanBatch, signal: AbortSignal): Promise<readonly PlannedChange[] | Refusal> {
  const root = await verifyRoot(request.root);
  if (isRefusal(root)) return root;
  const planned = await plan({ root, project: request.project, signal });
  return isRefusal(planned) ? planned : (repeatedPath(planned) ?? planned);
}

/** Writing has a bound of its own, so that a file system that hangs gets an answer too. */
async function boundedWrite(planned: readonly PlannedChange[], journal: EditJournal): Promise<WriteOutcome | 'hangs'> {
  try {
    return await untilEnded(writeChanges(planned, journal), AbortSignal.timeout(WRITE_MS));
  } catch (error) {
    if (error instanceof Ended) return 'hangs';
    throw error;
  }
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

function notWritten(outcome: Extract<WriteOutcome, { written: false }>, changes: readonly PlannedChange[]): Refusal {
  const { changeIndex, cause, rollbackComplete } = outcome;
  const at = { changeIndex, path: pathOf(changes[changeIndex]) };
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

function pathOf(change: PlannedChange | undefined): string {
  if (change === undefined) return '';
  return change.kind === 'create' ? change.place.relative : change.file.place.relative;
}

function withEffect({ refused }: Refusal, effect: Record<string, boolean | string | null>): Refusal {
  return { refused: { ...refused, detail: { ...refused.detail, ...effect } } };
}

async function editedFiles(planned: readonly PlannedChange[], { project, include_diff }: BatchRequest): Promise<EditedFile[]> {
  const files: EditedFile[] = [];
  for (const change of planned) {
    const diff = include_diff ? changeDiff(change) : null;
    files.push({ ...editedFile(change, project), ...(diff === null ? {} : { diff }) });
    // Comparing texts holds up everything else; between two files that may go on.
    if (include_diff) await new Promise(setImmediate);
  }
  return files;
}

function editedFile(change: PlannedChange, project: string): EditedFile {
  const old = change.kind === 'create' ? null : change.file;
  const now = stateAfter(change);
  return {
    kind: change.kind,
    path: pathOf(change),
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
      return { place: change.to, sha256: change.content?.newSha256 ?? change.file.sha256 };
    case 'delete':
      return null;
  }
}
