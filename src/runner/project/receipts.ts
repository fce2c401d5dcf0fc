import type { OutputReceipt } from '../../protocol/runner/project.js';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { pathProtection, verifyRoot, type VerifiedRoot } from '../confinement/index.js';
import { isRefusal } from '../request.js';
import { fileDigest } from './file-digest.js';

/** A receipt is for what a task made, also a large build product. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024 * 1024;

const ABSENT: ReadonlySet<string> = new Set(['not_found', 'not_directory']);

/** Receipts of declared outputs, one after the other. Secret paths are refused by their name alone. */
export async function receipts(
  root: ProjectRoot,
  paths: readonly string[],
): Promise<{ receipts: OutputReceipt[] } | Refusal> {
  const verified = await verifyRoot(root);
  if (isRefusal(verified)) return verified;
  const made: OutputReceipt[] = [];
  for (const path of paths) made.push(await receipt(verified, path));
  return { receipts: made };
}

async function receipt(root: VerifiedRoot, path: string): Promise<OutputReceipt> {
  if (pathProtection(path) === 'secret') return without(path, 'refused', 'sensitive_path');
  const digest = await fileDigest(root, path, MAX_OUTPUT_BYTES);
  if (isRefusal(digest)) {
    const reason = digest.refused.error_kind;
    return without(path, ABSENT.has(reason) ? 'missing' : 'refused', reason);
  }
  return { path, status: 'present', sha256: digest.sha256, bytes: digest.bytes, reason_code: null };
}

function without(path: string, status: 'missing' | 'refused', reason: string): OutputReceipt {
  return { path, status, sha256: null, bytes: null, reason_code: reason };
}
