import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRootFingerprint } from '../../../../src/protocol/project-root-fingerprint.js';
import { verifyRoot } from '../../../../src/runner/confinement/index.js';
import { EditJournal } from '../../../../src/runner/files/edit/edit-journal.js';
import { planChange } from '../../../../src/runner/files/edit/plan-change.js';
import type { PlannedChange } from '../../../../src/runner/files/edit/planned-change.js';
import { writeChanges } from '../../../../src/runner/files/edit/write-changes.js';
import { isRefusal } from '../../../../src/runner/request.js';

/*
 * Writes a batch of three files on a file system that holds two of the new ones beside
 * the old ones, and leaves in a file what became of it.
 */

const [mounted = '', result = ''] = process.argv.slice(2);
const folder = join(mounted, 'project');
mkdirSync(folder);
const names = ['a.txt', 'b.txt', 'c.txt'];
for (const name of names) writeFileSync(join(folder, name), `${name}\n`);

function state(): unknown {
  return readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, statSync(path).ino, createHash('sha256').update(readFileSync(path)).digest('hex')];
  });
}

const before = state();
const { dev, ino } = statSync(folder, { bigint: true });
const root = await verifyRoot({ path: folder, fingerprint: projectRootFingerprint({ realpath: folder, dev, ino }) });
if (isRefusal(root)) throw new Error(root.refused.message);
const context = { root, project: 'p', signal: new AbortController().signal };
const planned: PlannedChange[] = [];
for (const [changeIndex, path] of names.entries()) {
  const edit = { kind: 'insert_after' as const, anchor_text: `${path}\n`, new_text: 'x'.repeat(40_000) };
  const plan = await planChange({ kind: 'edit', path, edits: [edit] }, changeIndex, context);
  if (isRefusal(plan)) throw new Error(plan.refused.message);
  planned.push(plan);
}
const outcome = await writeChanges(planned, new EditJournal(join(mounted, 'journal')));
const cause = outcome.written || outcome.cause === 'stale' ? null : { code: outcome.cause.code };
writeFileSync(result, JSON.stringify({ outcome: { ...outcome, cause }, before, after: state() }));
