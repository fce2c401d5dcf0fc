import type { MessageId, ProjectId, SessionId, WindowKey } from '../../protocol/ids.js';
import type { ToolFacts } from '../../protocol/tool-definition.js';
import type { Failure, JsonObject } from '../../protocol/tool-result.js';
import type { ResolvedProject } from './call-context.js';
import type { SessionView, WindowTiming } from './ports.js';
import type { Principal } from './principal.js';

/*
 * What the kernel asks of the domains that calls collaborate through: message boards,
 * windows, context materials. None of them decides what a tool may do or what came of it.
 */

/** What a request says that its caller has seen (spec 02 §B). */
export interface AckEvidence {
  readonly ids: readonly string[];
  readonly ref: string | null;
}

/** What of it was accepted: evidence for this one request. */
export interface AcceptedAck {
  readonly sessionId: SessionId;
  /** Messages that are retained, open and ask for it. */
  readonly accepted: readonly MessageId[];
  /** How many of the ids named no such message. */
  readonly ignored: number;
}

/** Message boards, as the kernel needs them. */
export interface BoardPort {
  /** Takes acknowledgements for one authorized Session; what cannot be stored is not accepted. */
  acknowledge(session: SessionView, evidence: AckEvidence): Promise<AcceptedAck>;
  /** Resolves a message of the recorder's own board on a call's way (spec 02 §E3). */
  resolve(
    session: SessionView,
    resolution: { readonly messageId: string; readonly text: string },
    accepted: readonly MessageId[],
  ): Promise<Failure | null>;
  /** The open messages that ask for an acknowledgement, without those that were just given; null when there is nothing to say. */
  attention(session: SessionView, accepted: AcceptedAck | null): JsonObject | null;
}

/** A call as a window sees it arrive. */
export interface ArrivingCall {
  readonly window: WindowKey;
  readonly principal: Principal;
  readonly source: 'openai-session' | 'cli-window';
  readonly tool: string;
  readonly meaningful: boolean;
  /** Unix milliseconds, as every time here. */
  readonly observedAtMs: number;
  readonly traceId: string;
}

/** How a call in a window ended. */
export interface LeavingCall {
  readonly project: ProjectId | null;
  readonly handedAtMs: number;
  readonly streaming: boolean;
  /** Neither cancelled nor timed out. */
  readonly clean: boolean;
}

/** A call under way in a window. */
export interface CallInWindow {
  /** The answer was given to the transport; once, and only then may another call follow it. */
  leave(call: LeavingCall): Omit<WindowTiming, 'recorderGap'>;
}

/** A relation of a window to a Workflow Session, established by the ordinary authority path. */
export interface WindowLink {
  readonly sessionId: SessionId;
  readonly project: ProjectId | null;
  readonly relation: 'recording' | 'work_on_project';
}

/** Whose window it is: both hold, or nothing of a window is known. */
export interface WindowOwner {
  readonly window: WindowKey;
  readonly principal: Principal;
}

/** What may stand in an answer beside its truth. */
export interface Decoration {
  /** Bytes of JSON that still fit the answer. */
  readonly bytesLeft: number;
}

/** Windows and their peers, as the kernel needs them. */
export interface WindowPort {
  arrive(call: ArrivingCall): CallInWindow;
  /** Notes relations of a call that ended; it is written behind the answer. */
  link(owner: WindowOwner, links: readonly WindowLink[], atMs: number): void;
  /** The Session that this window was last tied to in exactly this project; never authority. */
  affinity(owner: WindowOwner, project: ProjectId): SessionId | null;
  /** What other windows of the principal have to say: awareness, messages, acknowledgements. */
  peers(
    call: WindowOwner & { readonly project: ProjectId | null; readonly ackIds: readonly string[]; readonly atMs: number },
    room: Decoration,
  ): Promise<JsonObject>;
  /** Answers an operator's message (spec 02 §E3). */
  reply(owner: WindowOwner | null, reply: { readonly replyTo: string; readonly message: string }): Promise<JsonObject>;
}

/** A call as the providers of context materials see it. */
export interface MaterialCall {
  readonly principal: Principal;
  readonly window: WindowKey | null;
  readonly project: ResolvedProject | null;
}

/** The materials that a call can ask for beside its effect. */
export interface ContextPort {
  project(keys: readonly string[], call: MaterialCall): Promise<JsonObject>;
}

/** All of it. */
export interface Collaboration {
  readonly board: BoardPort;
  readonly windows: WindowPort;
  readonly context: ContextPort;
}

/** Whether a call says something of how its window works: looking for what there is does not (spec 02 §D4). */
export function isMeaningful(facts: Pick<ToolFacts, 'window_meaningful'>): boolean {
  return facts.window_meaningful !== false;
}
