import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createBoardDomain, type BoardDomain } from '../../../src/daemon/board/index.js';
import { BoardLedger } from '../../../src/daemon/board/board-ledger.js';
import type { CallRequest } from '../../../src/daemon/kernel/call-request.js';
import { DEFAULT_SESSION_LIMITS, type SessionBoards, type SessionLimits } from '../../../src/daemon/sessions/index.js';
import type { SessionId } from '../../../src/protocol/ids.js';
import { sessionsFixture, type Answered, type SessionsFixture } from '../sessions/sessions-fixture.js';

/** What answers show of a message, as far as tests look. */
export interface Shown {
  readonly message_id: string;
  readonly kind: string;
  readonly status: string;
  readonly message: string;
  readonly [member: string]: unknown;
}

/** A board over a real ledger, called through the real kernel. */
export class BoardFixture {
  readonly sessions: SessionsFixture;
  board!: BoardDomain;

  constructor(private readonly limits: Partial<SessionLimits> = {}) {
    this.sessions = sessionsFixture(limits);
    this.open();
  }

  get boards(): SessionBoards {
    return this.sessions.domain.boards;
  }

  async restart(): Promise<void> {
    await this.sessions.restart();
    this.open();
  }

  call(tool: string, args: Record<string, unknown>, changes: Partial<CallRequest> = {}): Promise<Answered> {
    return this.sessions.call(tool, args, changes);
  }

  begin(): Promise<SessionId> {
    return this.sessions.begin();
  }

  /** Posts, and gives the new message's id. */
  async post(session: SessionId, message: string, more: Record<string, unknown> = {}, changes: Partial<CallRequest> = {}): Promise<string> {
    const posted = await this.call('post_session_message', { session_id: session, kind: 'note', message, ...more }, changes);
    if (!posted.success) throw new Error(posted.error);
    return posted.output['message_id'] as string;
  }

  /** The retained messages, oldest first. */
  async messages(session: SessionId): Promise<Shown[]> {
    const listed = await this.call('list_session_messages', { session_id: session, limit: 100 });
    return (listed.output['messages'] as Shown[]).reverse();
  }

  observe(session: SessionId, token?: string, more: Record<string, unknown> = {}): Promise<Answered> {
    return this.call('observe_session_messages', {
      session_id: session,
      ...(token === undefined ? {} : { after_observation_token: token }),
      ...more,
    });
  }

  async token(session: SessionId): Promise<string> {
    return (await this.observe(session)).output['observation_token'] as string;
  }

  async fence(session: SessionId, todo: string): Promise<string> {
    const read = await this.call('get_session_assignment', { session_id: session, message_id: todo });
    return read.output['assignment_fence'] as string;
  }

  complete(
    session: SessionId,
    todo: string,
    fence: string,
    more: Record<string, unknown> = {},
    changes: Partial<CallRequest> = {},
  ): Promise<Answered> {
    return this.call(
      'complete_session_message',
      { session_id: session, message_id: todo, answer: 'done', completion_key: 'key', expected_assignment_fence: fence, ...more },
      changes,
    );
  }

  /** The revision that the board is at. */
  revision(session: SessionId): number {
    return this.boards.read(session, (board) => board.state().revision) ?? -1;
  }

  /** What an operator does, where no tool does it. */
  ledger(): BoardLedger {
    return new BoardLedger(this.boards);
  }

  /** Runs `work` while nothing can be committed. */
  async withoutDisk<Value>(work: () => Promise<Value>): Promise<Value> {
    this.sessions.database.pragma('query_only = ON');
    try {
      return await work();
    } finally {
      this.sessions.database.pragma('query_only = OFF');
    }
  }

  private open(): void {
    this.board = createBoardDomain({
      sessions: this.sessions.domain,
      messagesPerSession: this.limits.messagesPerSession ?? DEFAULT_SESSION_LIMITS.messagesPerSession,
      now: () => this.sessions.time,
      monotonicMs: () => performance.now(),
      randomBytes,
    });
    this.sessions.withTools(...this.board.tools);
  }
}

/** A board that is gone when the test is over; its waits are ended first. */
export function boardFixture(limits: Partial<SessionLimits> = {}): BoardFixture {
  const fixture = new BoardFixture(limits);
  onTestFinished(() => fixture.board.endWaits());
  return fixture;
}

export function kindOf(answer: Answered): unknown {
  return answer.output['error_kind'];
}
