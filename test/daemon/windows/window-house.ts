import { createHash, randomBytes } from 'node:crypto';
import type { CallRequest } from '../../../src/daemon/kernel/call-request.js';
import type { ContextPort } from '../../../src/daemon/kernel/collaboration-ports.js';
import { handleCall, type Kernel } from '../../../src/daemon/kernel/handle-call.js';
import type { CallRecord } from '../../../src/daemon/kernel/ports.js';
import { Registry } from '../../../src/daemon/kernel/registry.js';
import type { Tool } from '../../../src/daemon/kernel/tool.js';
import { createBoardDomain } from '../../../src/daemon/board/index.js';
import type { WindowEvent } from '../../../src/daemon/kernel/window-event.js';
import { createWindowsDomain, windowsSchema, type WindowsDomain } from '../../../src/daemon/windows/index.js';
import { migrate } from '../../../src/daemon/storage/migrations.js';
import type { SessionId, WindowKey } from '../../../src/protocol/ids.js';
import { failure, success } from '../../../src/protocol/tool-result.js';
import { kernelFixture, noCollaboration, request, tool } from '../kernel/kernel-fixture.js';
import { alice, DEMO, sessionsFixture, type Answered, type SessionsFixture } from '../sessions/sessions-fixture.js';

export const W1 = createHash('sha256').update('one').digest('hex') as WindowKey;
export const W2 = createHash('sha256').update('two').digest('hex') as WindowKey;
export const HERE = { project: DEMO };

/** Boards, windows and a kernel over one real ledger; time is the test's. */
export class WindowHouse {
  readonly sessions: SessionsFixture = sessionsFixture();
  /** Unix milliseconds. */
  nowMs = 1_800_000_000_000;
  /** Milliseconds that each look at the monotonic clock moves it on. */
  slowness = 0;
  private monotonic = 0;
  readonly rows: CallRecord[] = [];
  readonly faults: unknown[] = [];
  events: readonly WindowEvent[] | Error = [];
  windows!: WindowsDomain;
  private kernel!: Kernel;
  private calls = 0;

  constructor(
    private readonly tools: readonly Tool[] = [],
    private readonly context: ContextPort = noCollaboration.context,
  ) {
    this.open();
  }

  async restart(): Promise<void> {
    await this.sessions.restart();
    this.open();
  }

  begin(): Promise<SessionId> {
    return this.sessions.begin();
  }

  /** One call with its hand-over at the moment that it is at. */
  async call(toolName: string, args: Record<string, unknown>, changes: Partial<CallRequest> = {}): Promise<Answered> {
    const { answer, handOver } = await this.start(toolName, args, changes);
    handOver();
    return answer;
  }

  /** A call whose answer is handed over when the test says so. */
  async start(
    toolName: string,
    args: Record<string, unknown>,
    changes: Partial<CallRequest> = {},
  ): Promise<{ readonly answer: Answered; readonly handOver: (streaming?: boolean) => void }> {
    const { commits } = this.sessions;
    const { kernel } = this;
    const handled = await handleCall(kernel, request(toolName, args, { principal: alice, adapter: 'mcp_2026', ...changes }));
    const handOver = (streaming = false): void => {
      handled.audit({ httpStatus: 200, streaming, atMs: this.nowMs });
      commits.flush();
    };
    return { answer: JSON.parse(handled.body) as Answered, handOver };
  }

  /** Posts on a board, and gives the message's id. */
  async post(session: SessionId, message: string, more: Record<string, unknown> = {}): Promise<string> {
    const posted = await this.call('post_session_message', { session_id: session, kind: 'note', message, ...more });
    return posted.output['message_id'] as string;
  }

  private open(): void {
    this.openWindows();
    const { domain } = this.sessions;
    const board = createBoardDomain({
      sessions: domain,
      messagesPerSession: 200,
      now: () => Math.floor(this.nowMs / 1_000),
      monotonicMs: () => performance.now(),
      randomBytes,
    });
    this.kernel = kernelFixture([], {
      kernel: {
        registry: new Registry([
          tool('read_thing', () => ({ result: success({ text: 'x' }) })),
          tool('fail_thing', () => ({ result: failure('not_found', 'there is none', { state_changed: false }) })),
          tool('list_things', () => ({ result: success({}) }), { window_meaningful: false }),
          ...domain.tools,
          ...board.tools,
          ...this.windows.tools,
          ...this.tools,
        ]),
        sessions: domain,
        collaboration: { board, windows: this.windows, context: this.context },
        audit: { record: (row) => void this.rows.push(row) },
        newInvocationId: () => `wc_inv_${String((this.calls += 1)).padStart(32, '0')}` as never,
        clock: { wallMs: () => this.nowMs, monotonicMs: () => performance.now() },
        onFault: (_tool, error) => void this.faults.push(error),
      },
    }).kernel;
  }

  private openWindows(): void {
    const { database, commits } = this.sessions;
    migrate(database, [windowsSchema]);
    this.windows = createWindowsDomain({
      database,
      commits,
      projects: { isVisible: (project) => project !== 'agent:local:hidden' },
      events: {
        windowEvents: async () => {
          if (this.events instanceof Error) throw this.events;
          return this.events;
        },
      },
      nowMs: () => this.nowMs,
      monotonicMs: () => (this.monotonic += this.slowness),
      randomBytes,
    });
  }
}
