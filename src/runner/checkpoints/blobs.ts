import type { Refusal } from '../../protocol/runner/project-root.js';
import { gitBytes, type GitCall } from '../git/run-git.js';
import { isRefusal, refuse } from '../request.js';

/** The bytes of blobs as git stores them, by their object names. */
export async function readBlobs(call: GitCall, oids: readonly string[], maxBytes: number): Promise<Map<string, Buffer> | Refusal> {
  if (oids.length === 0) return new Map();
  const output = await gitBytes(call, ['cat-file', '--batch'], { input: oids.map((oid) => `${oid}\n`).join(''), maxBytes });
  if (isRefusal(output)) return output;
  const bytes = Buffer.from(output);
  const blobs = new Map<string, Buffer>();
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    const [oid = '', kind = '', size = ''] = bytes.toString('latin1', start, end).split(' ');
    if (kind !== 'blob') return refuse('git_failed', `git has not got the staged content of ${oid}.`, { reason_code: 'missing_object' });
    const content = bytes.subarray(end + 1, end + 1 + Number(size));
    blobs.set(oid, content);
    start = end + 1 + content.length + 1;
  }
  return blobs;
}
