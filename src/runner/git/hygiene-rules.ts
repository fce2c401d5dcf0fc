import type { HygieneFindingKind } from '../../protocol/runner/hygiene.js';
import { pathProtection } from '../confinement/index.js';

/** Untracked files above this are a finding, in bytes (spec 04 §7.8). */
export const LARGE_FILE_BYTES = 5 * 1024 * 1024;

/** Names that editors, patches, crashes and our own interrupted edits leave. */
const TEMPORARY = /^(.*\.(tmp|temp|swp|swo|swn|bak|orig|rej)|.*~|#.*#|\.#.*|\.ds_store|thumbs\.db|desktop\.ini|core(\.\d+)?|nohup\.out|(npm|yarn|pnpm)-(debug|error)\.log.*|\.wc-(edit|restore)-.*|\.fuse_hidden.*|\.nfs[0-9a-f]+)$/i;

/** Folders and files that tools can make anew at any time. */
const CACHES: ReadonlySet<string> = new Set([
  '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox', '.nox', '.hypothesis', '.ipynb_checkpoints',
  'node_modules', '.npm', '.eslintcache', '.stylelintcache', '.parcel-cache', '.turbo', '.nyc_output', '.vite',
  '.cache', '.gradle', '.sass-cache',
]);
const CACHE_FILE = /\.(pyc|pyo|tsbuildinfo|class)$/i;

/** Names that usually hold credentials, beyond those that are protected anyway. */
const SECRETS = /^(id_(rsa|dsa|ecdsa|ed25519)|\.netrc|_netrc|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|\.pgpass|\.dockercfg|credentials(\.json|\.yml|\.yaml|\.csv)?|service[-_]account.*\.json|.*\.(p12|pfx|jks|keystore|kdbx|ppk|asc\.key))$/i;

/** The outermost folder of a path that tools can make anew, with a slash at its end; null when it lies in none. */
export function cacheFolderOf(path: string): string | null {
  const parts = path.split('/').slice(0, -1);
  const first = parts.findIndex((part) => CACHES.has(part.toLowerCase()));
  return first === -1 ? null : `${parts.slice(0, first + 1).join('/')}/`;
}

/** What a path's name alone says of it: the gravest finding, or null. */
export function hygieneOfName(path: string): Exclude<HygieneFindingKind, 'large_untracked_file' | 'dirty_worktree'> | null {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (pathProtection(path) === 'secret' || SECRETS.test(name)) return 'secret_like_path';
  if (parts.some((part) => CACHES.has(part.toLowerCase())) || CACHE_FILE.test(name)) return 'cache_path';
  return TEMPORARY.test(name) ? 'temporary_file' : null;
}
