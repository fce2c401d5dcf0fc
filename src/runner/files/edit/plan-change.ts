import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileChange } from '../../../protocol/runner/edits.js';
import type { Refusal } from '../../../protocol/runner/project-root.js';
import {
  isPermissionError,
  pathProtection,
  resolveInside,
  resolveNewInside,
  shown,
  type InsideRoot,
  type NewInsideRoot,
  type VerifiedRoot,
} from '../../confinement/index.js';
import { isRefusal } from '../../request.js';
import { readRevision } from '../read-revision.js';
import { snapshotFile } from '../snapshot-file.js';
import { plainConflict } from './conflict.js';
import type { NoPlan } from './edit-plan.js';
import { conflictRefusal, placeRefusal, refuseChange, type ChangePlace } from './edit-refusal.js';
import { MAX_EDITED_CHARACTERS, planEdits } from './plan-edits.js';
import type { PlannedChange, PlannedFile } from './planned-change.js';

/** What planning needs beside the change itself. */
export interface PlanContext {
  readonly root: VerifiedRoot;
  readonly project: string;
  readonly signal: AbortSignal;
}

/** Checks one change against the files, and writes nothing. */
export async function planChange(
  change: FileChange,
  changeIndex: number,
  context: PlanContext,
): Promise<PlannedChange | Refusal> {
  const at: ChangePlace = { changeIndex, path: change.path };
  switch (change.kind) {
    case 'create': {
      const place = await newPlace(change.path, at, context);
      if (isRefusal(place)) return place;
      const newBytes = Buffer.from(change.content);
      return { kind: 'create', place, newBytes, newSha256: sha256(newBytes) };
    }
    case 'delete': {
      const file = await plannedFile(change, at, context, null);
      return isRefusal(file) ? file : { kind: 'delete', file };
    }
    case 'rename':
      return planRename(change, at, context);
    case 'edit':
      return planEdit(change, at, context);
  }
}

async function planEdit(
  change: Extract<FileChange, { kind: 'edit' }>,
  at: ChangePlace,
  context: PlanContext,
): Promise<PlannedChange | Refusal> {
  const file = await plannedFile(change, at, context, MAX_EDITED_CHARACTERS);
  if (isRefusal(file)) return file;
  if (!isUtf8(file.bytes)) {
    return refuseChange('not_utf8', `${shown(at.path)} is no UTF-8 text and takes no exact edits.`, at);
  }
  const plan = planEdits(file.bytes.toString('utf8'), change.edits);
  if (!('text' in plan)) return noPlanRefusal(plan, at);
  const newBytes = Buffer.from(plan.text);
  const { bytes: _, ...planned } = file;
  return { kind: 'edit', file: planned, newBytes, newSha256: sha256(newBytes) };
}

function noPlanRefusal(plan: NoPlan, at: ChangePlace): Refusal {
  if ('conflict' in plan) return conflictRefusal(plan.conflict, at);
  if ('invalid' in plan) {
    const { editIndex, problem } = plan.invalid;
    return refuseChange('invalid_arguments', `Edit ${editIndex}: ${problem}.`, at, { edit_index: editIndex });
  }
  return plan.unsuitable === 'mixed_line_endings'
    ? refuseChange(plan.unsuitable, `${shown(at.path)} mixes line endings; make them one kind first.`, at)
    : refuseChange(plan.unsuitable, `${shown(at.path)} would become too large for exact edits.`, at);
}

async function planRename(
  change: Extract<FileChange, { kind: 'rename' }>,
  at: ChangePlace,
  context: PlanContext,
): Promise<PlannedChange | Refusal> {
  const file = await plannedFile(change, at, context, null);
  if (isRefusal(file)) return file;
  const to = await newPlace(change.to_path, at, context);
  if (!isRefusal(to)) return { kind: 'rename', file, to, isSameFile: false };
  return to.refused.error_kind === 'already_exists' ? ((await caseOnlyRename(change, file, context)) ?? to) : to;
}

/** Where the file system ignores case, the new name of a case-only rename leads to the file itself; else null. */
async function caseOnlyRename(
  change: Extract<FileChange, { kind: 'rename' }>,
  file: PlannedFile,
  context: PlanContext,
): Promise<PlannedChange | null> {
  if (change.path === change.to_path || change.path.toLowerCase() !== change.to_path.toLowerCase()) return null;
  const existing = await resolveInside(context.root, change.to_path);
  if (isRefusal(existing) || existing.path !== file.place.path) return null;
  const newName = basename(change.to_path);
  const to: NewInsideRoot = {
    path: join(dirname(existing.path), newName),
    relative: change.to_path,
    realRelative: join(dirname(existing.realRelative), newName),
    missingParents: [],
  };
  return { kind: 'rename', file, to, isSameFile: true };
}

/**
 * The file that a change is about: it exists, its name and its user let it be changed, and
 * its guard holds. An edit follows a link inside the project; delete and rename take none.
 */
async function plannedFile(
  change: Exclude<FileChange, { kind: 'create' }>,
  at: ChangePlace,
  context: PlanContext,
  keepBytes: number | null,
): Promise<(PlannedFile & { readonly bytes: Buffer }) | Refusal> {
  const place = await resolveInside(context.root, change.path);
  // The name alone protects a path, whether or not there is anything.
  const denied = protectedRefusal(change.path, isRefusal(place) ? null : place, at);
  if (denied !== null) return denied;
  if (isRefusal(place)) return placeRefusal(place, at);
  if (change.kind !== 'edit' && place.relative !== place.realRelative && (await isLink(context.root, place))) {
    return refuseChange('not_file', `${shown(place.relative)} is a link; ${change.kind} takes regular files only.`, at);
  }
  const snapshot = await snapshotFile(place, keepBytes, context.signal);
  if (isRefusal(snapshot)) return placeRefusal(snapshot, at);
  const guard = change.expected_read_revision;
  if (guard !== undefined && guard !== readRevision(context.project, place.realRelative, snapshot.sha256)) {
    return conflictRefusal(plainConflict('sha256_mismatch', null), at, { current_sha256: snapshot.sha256 });
  }
  const unwritable = change.kind === 'edit' ? await unwritableRefusal(place, at) : null;
  if (unwritable !== null) return unwritable;
  return { place, sha256: snapshot.sha256, status: snapshot.status, bytes: snapshot.bytes };
}

/** A file is replaced, not overwritten: one that its user may not write would be passed over otherwise. */
async function unwritableRefusal(place: InsideRoot, at: ChangePlace): Promise<Refusal | null> {
  try {
    const handle = await open(place.path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    await handle.close();
    return null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return refuseChange('edit_write_failed', `${shown(place.relative)} may not be written (${code}).`, at, {
      reason_code: isPermissionError(error) ? 'permission_denied' : code.toLowerCase(),
    });
  }
}

async function newPlace(path: string, at: ChangePlace, context: PlanContext): Promise<NewInsideRoot | Refusal> {
  const place = await resolveNewInside(context.root, path);
  const denied = protectedRefusal(path, isRefusal(place) ? null : place, at);
  if (denied !== null) return denied;
  return isRefusal(place) ? placeRefusal(place, at) : place;
}

function protectedRefusal(path: string, place: InsideRoot | null, at: ChangePlace): Refusal | null {
  const protection = pathProtection(path) ?? (place === null ? null : pathProtection(place.realRelative));
  if (protection === null) return null;
  return refuseChange('policy_rejected', `${shown(path)} is protected by its name and is not edited.`, at, {
    reason_code: `${protection}_path`,
  });
}

async function isLink(root: VerifiedRoot, place: InsideRoot): Promise<boolean> {
  return (await lstat(`${root.path}/${place.relative}`)).isSymbolicLink();
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

