import { basename } from 'node:path';
import type { ProjectId, RootFingerprint } from '../../protocol/ids.js';
import { failure, type Failure } from '../../protocol/tool-result.js';
import { automaticShortIds, projectIdOf } from './project-id.js';
import { LOCAL_CLIENT, type RegisteredProject } from './registered-project.js';

/** What a caller wants registered; what is left out keeps its value, or gets its default. */
export interface RegistrationRequest {
  /** The last part of the id; an automatic one when left out. */
  readonly shortId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly allowPatch?: boolean;
  /** Whether an existing registration may be changed or moved to another folder. */
  readonly overwrite: boolean;
}

/** The folder as the Runner just found it. */
export interface FoundFolder {
  readonly path: string;
  readonly fingerprint: RootFingerprint;
}

/** What the registry knows that bears on it. */
export interface RegistryView {
  find(projectId: ProjectId): RegisteredProject | null;
  at(path: string): RegisteredProject | null;
  /** The project that a folder was last, after it was unregistered. */
  lastAt(path: string): RegisteredProject | null;
}

/** The row to write, the row that stands already, or why neither. */
export type RegistrationPlan =
  | { readonly outcome: 'unchanged'; readonly project: RegisteredProject }
  | { readonly outcome: 'registered' | 'updated'; readonly project: RegisteredProject }
  | { readonly failure: Failure };

/**
 * What registering a folder does (spec 07 §6). A folder is one project and an id is
 * one folder: the same again is a no-op, and anything that would give an id another
 * folder, or a folder another id, wants the caller's word (`overwrite`) or is refused.
 * A folder that was registered before gets its old id back, and with it its Sessions.
 */
export function planRegistration(
  request: RegistrationRequest,
  folder: FoundFolder,
  registry: RegistryView,
  now: number,
): RegistrationPlan {
  const here = registry.at(folder.path);
  if (here !== null) return planAgain(request, folder, here, now);
  const shortId = request.shortId ?? registry.lastAt(folder.path)?.shortId ?? freeShortId(folder.path, registry);
  if (shortId === null) {
    return { failure: failure('project_id_collision', 'every id for that folder is taken; choose one with id', { state_changed: false }) };
  }
  const known = registry.find(projectIdOf(shortId));
  if (known !== null && known.path !== folder.path && !request.overwrite) {
    return { failure: idTaken(known) };
  }
  return {
    outcome: known === null || known.unregisteredAt !== null ? 'registered' : 'updated',
    project: {
      projectId: projectIdOf(shortId),
      clientId: LOCAL_CLIENT,
      shortId,
      name: request.name ?? known?.name ?? nameOf(folder.path),
      description: request.description ?? known?.description ?? null,
      path: folder.path,
      rootFingerprint: folder.fingerprint,
      allowPatch: request.allowPatch ?? known?.allowPatch ?? true,
      revision: (known?.revision ?? 0) + 1,
      registeredAt: known !== null && known.unregisteredAt === null ? known.registeredAt : now,
      updatedAt: now,
      unregisteredAt: null,
    },
  };
}

/** A folder that is registered already: nothing to do, a change of it, or another id. */
function planAgain(
  request: RegistrationRequest,
  folder: FoundFolder,
  here: RegisteredProject,
  now: number,
): RegistrationPlan {
  if (request.shortId !== undefined && request.shortId !== here.shortId) {
    return {
      failure: failure('project_already_exists', `that folder is registered as ${here.projectId} already`, {
        project: here.projectId,
        reason_code: 'path_registered_under_other_id',
        state_changed: false,
      }),
    };
  }
  const wanted = {
    ...here,
    name: request.name ?? here.name,
    description: request.description ?? here.description,
    allowPatch: request.allowPatch ?? here.allowPatch,
    rootFingerprint: folder.fingerprint,
  };
  const same =
    wanted.name === here.name &&
    wanted.description === here.description &&
    wanted.allowPatch === here.allowPatch &&
    wanted.rootFingerprint === here.rootFingerprint;
  if (same) return { outcome: 'unchanged', project: here };
  if (!request.overwrite) {
    const replaced = wanted.rootFingerprint !== here.rootFingerprint;
    return {
      failure: failure(
        'project_already_exists',
        replaced
          ? `another folder stood at that path when ${here.projectId} was registered; set overwrite to register this one`
          : `${here.projectId} is registered with other settings; set overwrite to change them`,
        {
          project: here.projectId,
          reason_code: replaced ? 'root_replaced' : 'settings_differ',
          revision: here.revision,
          state_changed: false,
        },
      ),
    };
  }
  return { outcome: 'updated', project: { ...wanted, revision: here.revision + 1, updatedAt: now } };
}

/** An id that no project has, and none had before. */
function freeShortId(path: string, registry: RegistryView): string | null {
  return automaticShortIds(path).find((shortId) => registry.find(projectIdOf(shortId)) === null) ?? null;
}

function idTaken(known: RegisteredProject): Failure {
  return failure(
    'project_already_exists',
    known.unregisteredAt === null
      ? `${known.projectId} is another folder; choose another id, or set overwrite to move it`
      : `${known.projectId} was another folder, and its Sessions still name it; choose another id, or set overwrite to take it over`,
    {
      project: known.projectId,
      reason_code: known.unregisteredAt === null ? 'id_registered_elsewhere' : 'id_known_from_elsewhere',
      revision: known.revision,
      state_changed: false,
    },
  );
}

/** A display name: the folder's own, cut to 120 bytes at a whole character. */
function nameOf(path: string): string {
  let name = '';
  for (const character of basename(path) || path) {
    if (Buffer.byteLength(name + character) > 120) break;
    name += character;
  }
  return name;
}
