import type { z } from 'zod';
import type { gitLogMethod, LogEntry } from '../../protocol/runner/git-history.js';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { isRefusal } from '../request.js';
import { headOf, requireCommits } from './head-of.js';
import { nulRecords } from './nul-records.js';
import { gitBytes, type GitCall } from './run-git.js';
import type { WorkTree } from './work-tree.js';

type Request = Omit<z.output<typeof gitLogMethod.params>, 'root'>;
type Answer = z.input<typeof gitLogMethod.result>;

/** Characters of a message's body that are given. */
const MAX_BODY_CHARACTERS = 2_000;
const MAX_LINE_CHARACTERS = 500;

/** Commit, parents, author, both times, subject, body. */
const FIELDS = ['%H', '%P', '%an', '%at', '%ct', '%s', '%b'];

/** A page of history from a pinned head (spec 04 §7.7). */
export async function readLog(tree: WorkTree, request: Request): Promise<Answer | Refusal> {
  const { call } = tree;
  const isShallow = await shallow(call);
  if (typeof isShallow === 'object') return isShallow;
  const head = await pinnedHead(call, request.head);
  if (typeof head === 'object' && head !== null) return head;
  if (head === null) return { head, commits: [], has_more: false, is_shallow: isShallow };
  const output = await gitBytes(call, [
    '-c', 'i18n.logOutputEncoding=UTF-8', '-c', 'log.mailmap=false', '-c', 'log.follow=false',
    'log', '-z', `--format=${FIELDS.join('%x00')}`, '--no-color', '--no-decorate', '--no-notes', '--no-show-signature',
    `--max-count=${request.limit + 1}`, `--skip=${request.skip}`, head, '--',
    // A pathspec simplifies history; without one the whole of it is shown.
    ...(tree.prefix === '' ? [] : ['.']),
  ]);
  if (isRefusal(output)) return output;
  const commits = parseLog(output);
  return { head, commits: commits.slice(0, request.limit), has_more: commits.length > request.limit, is_shallow: isShallow };
}

async function pinnedHead(call: GitCall, asked: string | null): Promise<string | null | Refusal> {
  if (asked === null) {
    const head = await headOf(call);
    return isRefusal(head) ? head : head.commit;
  }
  return (await requireCommits(call, [asked])) ?? asked;
}

async function shallow(call: GitCall): Promise<boolean | Refusal> {
  const output = await gitBytes(call, ['rev-parse', '--is-shallow-repository']);
  return isRefusal(output) ? output : Buffer.from(output).toString('utf8').trim() === 'true';
}

/** Reads `git log -z` with `FIELDS` between NULs: seven fields a commit. */
export function parseLog(output: Uint8Array): LogEntry[] {
  const last = Buffer.from('\0');
  const fields = nulRecords(Buffer.concat([output, last])).map((field) => field.toString('utf8'));
  const entries: LogEntry[] = [];
  for (let index = 0; index + FIELDS.length <= fields.length; index += FIELDS.length) {
    const [commit = '', parents = '', author = '', authored, committed, subject = '', body = ''] = fields.slice(index);
    const characters = [...body.trimEnd()];
    entries.push({
      commit,
      parents: parents.split(' ').filter((parent) => parent !== ''),
      author: author.slice(0, MAX_LINE_CHARACTERS),
      authored_at: Number(authored),
      committed_at: Number(committed),
      subject: subject.slice(0, MAX_LINE_CHARACTERS),
      body: characters.slice(0, MAX_BODY_CHARACTERS).join(''),
      body_truncated: characters.length > MAX_BODY_CHARACTERS,
    });
  }
  return entries;
}
