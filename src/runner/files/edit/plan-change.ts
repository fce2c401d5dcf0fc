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
import type { EditPlan, NoPlan } from './edit-plan.js';
import { conflictRefusal, misfitRefusal, placeRefusal, refuseChange, type ChangePlace } from './edit-refusal.js';
import { MAX_EDITED_CHARACTERS, planEdits } from './plan-edits.js';
import type { NewContent, PlannedChange, PlannedFile } from './planned-change.js';

/** What planning needs beside the change itself. */
export interface PlanContext {
  readonly root: VerifiedRoot;
  readonly project: string;
  readonly signal: AbortSignal;
  /** Protected folders that this batch may change all the same; none when left out. */
  readonly allowsFolder?: (relative: string) => boolean;
}

/** Checks one change against the files, and writes nothing. */
export async function planChange(
  change: FileChange,
  changeIndex: number,
  context: PlanContext,
): Promise<PlannedChange | Refusal> {
  const at: ChangePlace = { changeIndex, path: change.path };
  switch (change.kind) {
    case 'create':
      return planCreate(change, at, context);
    case 'delete': {
      const file = await plannedFile(change, at, context, null);
      return isRefusal(file) ? file : { kind: 'delete', file };
    }
    case 'rename':
      return planRename(change, at, context);
    case 'edit':
      return planText(change, at, context, (text) => planEdits(text, change.edits));
  }
}

/** A new file; its path must be free. */
export async function planCreate(
  { path, content, isExecutable = false }: { readonly path: string; readonly content: string; readonly isExecutable?: boolean },
  at: ChangePlace,
  context: PlanContext,
): Promise<PlannedChange | Refusal> {
  const place = await newPlace(path, at, context);
  return isRefusal(place) ? place : { kind: 'create', place, isExecutable, ...newContent(content) };
}

/** What a change of a file's text is about. */
export interface TextTarget {
  readonly path: string;
  readonly expected_read_revision?: number | undefined;
  /** Where the file moves as well. */
  readonly to_path?: string | undefined;
}

/** A file whose text becomes another one by a rule over its snapshot. */
export async function planText(
  target: TextTarget,
  at: ChangePlace,
  context: PlanContext,
  rule: (text: string) => EditPlan,
): Promise<PlannedChange | Refusal> {
  const { to_path: toPath } = target;
  const file = await plannedFile({ ...target, kind: toPath === undefined ? 'edit' : 'rename' }, at, context, MAX_EDITED_CHARACTERS);
  if (isRefusal(file)) return file;
  if (!isUtf8(file.bytes)) {
    return refuseChange('not_utf8', `${shown(at.path)} is no UTF-8 text and takes no exact edits.`, at);
  }
  const oldText = file.bytes.toString('utf8');
  const plan = rule(oldText);
  if (!('text' in plan)) return noPlanRefusal(plan, at);
  const { bytes: _, ...planned } = file;
  const content = { ...newContent(plan.text), oldText };
  if (toPath === undefined) return { kind: 'edit', file: planned, ...content };
  const to = await newPlace(toPath, at, context);
  if (isRefusal(to)) return to;
  return { kind: 'rename', file: planned, to, isSameFile: false, content: content.newSha256 === file.sha256 ? null : content };
}

/** A whole file in the place of the snapshot that its guard names; it may hold anything, text or not. */
export async function planWhole(
  target: TextTarget & { readonly content: string },
  at: ChangePlace,
  context: PlanContext,
): Promise<PlannedChange | Refusal> {
  const file = await plannedFile({ ...target, kind: 'edit' }, at, context, null);
  return isRefusal(file) ? file : { kind: 'edit', file, oldText: '', ...newContent(target.content) };
}

function newContent(text: string): NewContent {
  const newBytes = Buffer.from(text);
  return { newBytes, newSha256: createHash('sha256').update(newBytes).digest('hex') };
}

function noPlanRefusal(plan: NoPlan, at: ChangePlace): Refusal {
  if ('misfit' in plan) return misfitRefusal(plan.misfit, at);
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
  if (!isRefusal(to)) return { kind: 'rename', file, to, isSameFile: false, content: null };
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
  return { kind: 'rename', file, to, isSameFile: true, content: null };
}

/**
 * The file that a change is about: it exists, its name and its user let it be changed, and
 * its guard holds. An edit follows a link inside the project; delete and rename take none.
 */
async function plannedFile(
  change: TextTarget & { readonly kind: 'edit' | 'delete' | 'rename' },
  at: ChangePlace,
  context: PlanContext,
  keepBytes: number | null,
): Promise<(PlannedFile & { readonly bytes: Buffer }) | Refusal> {
  const place = await resolveInside(context.root, change.path);
  // The name alone protects a path, whether or not there is anything.
  const denied = protectedRefusal(change.path, isRefusal(place) ? null : place, at, context);
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
  const denied = protectedRefusal(path, isRefusal(place) ? null : place, at, context);
  if (denied !== null) return denied;
  return isRefusal(place) ? placeRefusal(place, at) : place;
}

function protectedRefusal(
  path: string,
  place: InsideRoot | null,
  at: ChangePlace,
  { allowsFolder }: PlanContext,
): Refusal | null {
  const names = place === null ? [path] : [path, place.realRelative];
  const protections = names.map((name) => {
    const protection = pathProtection(name);
    return protection === 'bulk' && allowsFolder?.(name) === true ? null : protection;
  });
  const protection = protections.find((one) => one === 'secret') ?? protections.find((one) => one !== null);
  if (protection === undefined) return null;
  return refuseChange('policy_rejected', `${shown(path)} is protected by its name and is not edited.`, at, {
    reason_code: `${protection}_path`,
  });
}

async function isLink(root: VerifiedRoot, place: InsideRoot): Promise<boolean> {
  return (await lstat(`${root.path}/${place.relative}`)).isSymbolicLink();
}
