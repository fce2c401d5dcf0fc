import type { Failure } from '../../../../protocol/tool-result.js';
import type { ProjectProbe } from '../../adapter.js';
import { notOffered } from '../../refusals.js';
import { inFolder } from '../package-folder.js';
import { parseManifest, type PackageManifest } from './package-manifest.js';

/** A package of the project that is asked about. */
export interface NodePackage {
  /** Relative to the project, `.` for its root. */
  readonly folder: string;
  readonly manifest: PackageManifest;
  readonly probe: ProjectProbe;
}

/** Reads a folder's `package.json`. Refusals: `validation_scope_unavailable` without one, `capability_unavailable` for a broken one. */
export async function readPackage(folder: string, probe: ProjectProbe): Promise<NodePackage | { readonly failure: Failure }> {
  const path = inFolder(folder, 'package.json');
  const text = await probe.text(path);
  const manifest = text === null ? null : parseManifest(text);
  if (manifest !== null) return { folder, manifest, probe };
  if (text !== null || (await probe.files([path])).has(path)) {
    return {
      failure: notOffered('capability_unavailable', `${path} can not be read as a JSON object of at most 192 KiB; repair it first.`, {
        reason_code: 'manifest_unreadable',
      }),
    };
  }
  return {
    failure: notOffered('validation_scope_unavailable', `There is no ${path}; name the folder of a package.`, { reason_code: 'no_such_package' }),
  };
}
