import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeTodo } from '../../../src/daemon/board/complete-todo.js';
import { assignmentFence, assignmentOf } from '../../../src/daemon/board/assignment.js';
import { replaceMessage, resolveMessage, withdrawMessage } from '../../../src/daemon/board/close-message.js';
import { newMessageId } from '../../../src/daemon/board/message-id.js';
import { observeBoard } from '../../../src/daemon/board/observation.js';
import { postMessage } from '../../../src/daemon/board/post-message.js';
import type { SessionBoard } from '../../../src/daemon/sessions/index.js';
import { boardFixture } from './board-fixture.js';

const BOUND = 4;

/** What happens to a board: an index chooses among what is there. */
type Step =
  | { readonly does: 'post' }
  | { readonly does: 'todo' }
  | { readonly does: 'resolve' | 'withdraw' | 'replace' | 'complete'; readonly at: number }
  | { readonly does: 'observe'; readonly cursor: number; readonly limit: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Step>({ does: 'post' }, { does: 'todo' }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('resolve' as const, 'withdraw' as const, 'replace' as const, 'complete' as const), at: fc.nat(BOUND) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('observe' as const), cursor: fc.nat(1_000), limit: fc.integer({ min: 1, max: 3 }) }) },
);

interface Row {
  readonly id: string;
  readonly todo: boolean;
  open: boolean;
  revision: number;
}

/** A board that keeps its whole history: what a cursor must be able to tell. */
class Reference {
  rows: Row[] = [];
  revision = 0;
  private readonly removed: number[] = [];

  post(id: string, todo: boolean): void {
    this.rows.push({ id, todo, open: true, revision: (this.revision += 1) });
  }
  close(id: string): void {
    const row = this.rows.find((one) => one.id === id);
    if (row === undefined) throw new Error('the board knows it');
    row.open = false;
    row.revision = this.revision += 1;
  }
  evict(tied: readonly string[] = []): void {
    while (this.rows.length > BOUND) {
      const victim = this.rows.find(({ id }) => !tied.includes(id));
      if (victim === undefined) return;
      this.rows = this.rows.filter((row) => row !== victim);
      this.removed.push(victim.revision);
    }
  }
  /** Whether anything that changed after the cursor cannot be shown any more. */
  lost(cursor: number): boolean {
    return this.removed.some((revision) => revision > cursor);
  }
  after(cursor: number): Row[] {
    return this.rows.filter(({ revision }) => revision > cursor).sort((one, other) => one.revision - other.revision);
  }
}

describe('the cursor of a board', () => {
  it('tells of every change, or that one is gone, whatever was evicted', { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const house = boardFixture({ messagesPerSession: BOUND });
        const session = await house.begin();
        const reference = new Reference();
        const parts = { now: () => 1, newMessageId: () => newMessageId(randomBytes), messagesPerSession: BOUND };
        const read = <Value>(look: (board: SessionBoard) => Value): Value => house.boards.read(session, look) as Value;
        const look = (token: string | undefined, limit: number) =>
          house.boards.read(session, (board, view) => observeBoard(board, view, token, limit));
        const cursors = [{ token: look(undefined, 1)?.token ?? '', revision: 0 }];
        for (const one of steps) {
          if (one.does === 'post' || one.does === 'todo') {
            const posted = await house.ledger().mutate(session, (board, view) =>
              postMessage(parts, { kind: one.does === 'todo' ? 'todo' : 'note', message: 'm' }, board, view),
            );
            if (posted === null || !('changed' in posted) || 'failure' in posted.changed) throw new Error('it is posted');
            reference.post(posted.changed.message.message_id, one.does === 'todo');
            reference.evict();
          } else if (one.does === 'observe') {
            const cursor = cursors[one.cursor % cursors.length];
            if (cursor === undefined) continue;
            const seen = look(cursor.token, one.limit);
            const expected = reference.after(cursor.revision);
            const shown = expected.slice(0, one.limit);
            expect(seen).toMatchObject({
              changed: reference.revision > cursor.revision,
              historyLost: reference.lost(cursor.revision),
              hasMore: expected.length > one.limit,
            });
            expect(seen?.messages.map(({ message_id }) => message_id)).toEqual(shown.map(({ id }) => id));
            expect(seen?.messages.map(({ status }) => status === 'open')).toEqual(shown.map(({ open }) => open));
            const next = expected.length > one.limit ? (shown.at(-1)?.revision ?? 0) : reference.revision;
            cursors.push({ token: seen?.token ?? '', revision: next });
          } else {
            const row = reference.rows[one.at % Math.max(1, reference.rows.length)];
            if (!row?.open || (one.does === 'complete' && !row.todo)) continue;
            if (one.does === 'complete') {
              const fence = read((board) => {
                const todo = board.message(row.id)?.message;
                return todo === undefined ? null : assignmentFence(session, assignmentOf(board, todo));
              });
              if (fence === null) continue;
              const given = { messageId: row.id, answer: 'a', completionKey: 'k', expectedFence: fence, author: null };
              const done = await house.ledger().mutate(session, (board, view) => completeTodo(parts, given, board, view));
              if (done === null || !('changed' in done) || 'failure' in done.changed) throw new Error('it is completed');
              const answer = done.changed.answer.message_id;
              reference.close(row.id);
              reference.post(answer, false);
              reference.evict([row.id, answer]);
            } else if (one.does === 'replace') {
              const done = await house.ledger().mutate(session, (board, view) => replaceMessage(parts, { messageId: row.id, message: 'n' }, board, view));
              if (done === null || !('changed' in done) || 'failure' in done.changed) throw new Error('it is replaced');
              reference.close(row.id);
              reference.post(done.changed.message.message_id, row.todo);
              reference.evict([row.id, done.changed.message.message_id]);
            } else {
              await house.ledger().mutate(session, (board, view) =>
                one.does === 'resolve' ? resolveMessage(parts, { messageId: row.id }, board, view) : withdrawMessage(parts, row.id, board, view),
              );
              reference.close(row.id);
            }
          }
        }
        const state = read((board) => board.state());
        expect([state.revision, read((board) => board.count())]).toEqual([reference.revision, reference.rows.length]);
        // What an export writes of it is what an import takes without a loss.
        expect((await house.sessions.domain.verifyLedger()).findings).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
