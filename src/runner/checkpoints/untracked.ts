import type { Refusal } from '../../protocol/runner/project-root.js';
import { pathProtection } from '../confinement/index.js';
import { nulRecords, pathText } from '../git/nul-records.js';
import { gitBytes } from '../git/run-git.js';
import type { WorkTree } from '../git/work-tree.js';
import { isRefusal } from '../request.js';
import type { ContentCollector } from './contents.js';
import type { Checkpoint } from './document.js';
import { findState } from './work-state.js';

/** The bounds of spec 04 §7.8. */
const MAX_FILES = 64;
const MAX_FILE_BYTES = 256 * 1024;
const MAX_BYTES = 1024 * 1024;

type Files = Checkpoint['untracked'];
type Skipped = Checkpoint['skipped'];

/** Keeps untracked text files that git does not ignore, as far as the bounds reach; the others are named. */
export async function captureUntracked(
  tree: WorkTree,
  collector: ContentCollector,
): Promise<{ readonly files: Files; readonly skipped: Skipped } | Refusal> {
  const listed = await gitBytes(tree.call, ['ls-files', '--others', '--exclude-standard', '-z', '--', '.']);
  if (isRefusal(listed)) return listed;
  const files: Files = [];
  const skipped: Skipped = [];
  let bytes = 0;
  for (const record of nulRecords(listed)) {
    const { path, path_is_lossy: isLossy } = pathText(record);
    const skip = (reasonCode: string): unknown => skipped.push({ path, reason_code: reasonCode });
    if (isLossy === true) skip('not_utf8_name');
    else if (pathProtection(path) === 'secret') skip('secret_path');
    else if (path.endsWith('/')) skip('nested_repository');
    else if (files.length >= MAX_FILES) skip('too_many_files');
    else {
      const found = await findState(tree.call.folder, path, MAX_FILE_BYTES);
      if (found === 'too_large') skip('file_too_large');
      else if (typeof found === 'string' || found.state.state !== 'file' || found.content === null) skip('not_a_file');
      else if (!isText(found.content)) skip('not_text');
      else if (bytes + found.content.length > MAX_BYTES) skip('too_many_bytes');
      else {
        bytes += found.content.length;
        collector.add(found.content);
        files.push({ path, permissions: found.state.permissions, sha256: found.state.sha256 });
      }
    }
  }
  return { files, skipped };
}

function isText(content: Buffer): boolean {
  return !content.includes(0) && Buffer.from(content.toString('utf8')).equals(content);
}
