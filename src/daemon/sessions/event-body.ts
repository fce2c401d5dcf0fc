import type { SessionId } from '../../protocol/ids.js';
import {
  EVENT_MEMBERS,
  hasWholeCorrelation,
  CLOSED_MEMBERS,
  isEventKind,
  isEventMember,
  type EventKind,
  type SessionEvent,
} from './event-row.js';
import { UnreadableRowError } from './session-head.js';

/** An event as a row holds it. */
export interface EventBody {
  readonly kind: EventKind;
  readonly body: string;
}

/** What an event says by not saying it: left out on disk, put back when it is read. */
const UNSAID = {
  read_like: false,
  write_like: false,
  shell_like: false,
  git_like: false,
  change_summary_like: false,
  changed_paths: [],
  project: null,
  resolved_project: null,
  started_at: null,
  finished_at: null,
  duration_ms: null,
  status: null,
  exit_code: null,
  failure_kind: null,
  error_kind: null,
  error_message_summary: null,
  job_id: null,
  input_summary: null,
} as const;
const MAY_BE_UNSAID: ReadonlySet<string> = new Set(Object.keys(UNSAID));
/** Said by the columns of the row. */
const IN_COLUMNS: ReadonlySet<string> = new Set(['session_id', 'kind']);

/**
 * The event as it stands on disk: one event has one encoding, whatever the order of its
 * members was, since the chain of its Session binds these very bytes.
 *
 * @throws when a member is none of the closed shape, or a correlation is half; it is then not stored
 */
export function encodeEvent(event: SessionEvent): EventBody {
  if (!hasWholeCorrelation(event)) throw new Error('an event has half a correlation');
  for (const name in event) if (!EVENT_MEMBERS.has(name)) throw new Error(`an event has no member ${name}`);
  const said: Record<string, unknown> = {};
  for (const name of EVENT_MEMBERS) {
    const value = event[name];
    if (value === undefined || IN_COLUMNS.has(name) || isUnsaid(name, value)) continue;
    said[name] = CLOSED_MEMBERS.has(name) ? sortedMembers(value) : value;
  }
  return { kind: event.kind, body: JSON.stringify(said) };
}

/**
 * An event of a row that this daemon wrote, or has checked before.
 *
 * @throws UnreadableRowError when it is no JSON
 */
export function decodeEvent(sessionId: SessionId, { kind, body }: EventBody): SessionEvent {
  try {
    const said = JSON.parse(body) as Omit<SessionEvent, 'session_id' | 'kind'>;
    return { session_id: sessionId, kind, ...UNSAID, ...said };
  } catch (error) {
    throw new UnreadableRowError(`event of ${sessionId}`, error);
  }
}

/** What counting needs of an event; what it does not say is absent here too. */
export type CountedEvent = Pick<SessionEvent, 'kind' | 'tool_name'> &
  Partial<
    Pick<
      SessionEvent,
      | 'status'
      | 'read_like'
      | 'write_like'
      | 'shell_like'
      | 'git_like'
      | 'change_summary_like'
      | 'call_id'
      | 'logical_invocation_id'
      | 'logical_invocation_role'
    >
  >;

/**
 * The same for counting, which is asked of whole tails: nothing is put back.
 *
 * @throws UnreadableRowError when it is no JSON
 */
export function decodeCounted(sessionId: SessionId, { kind, body }: EventBody): CountedEvent {
  try {
    const said = JSON.parse(body) as CountedEvent;
    said.kind = kind;
    return said;
  } catch (error) {
    throw new UnreadableRowError(`event of ${sessionId}`, error);
  }
}

/** Said by every body. */
const ALWAYS_SAID = ['event_id', 'timestamp', 'transport', 'tool_name', 'risk_class'] as const;

/**
 * An event of a row that nobody vouches for, for counting. Only what the body says is judged,
 * member by member: what it leaves unsaid is this program's own, and judging it as well would
 * be most of what the first look at a long Session costs.
 *
 * @throws UnreadableRowError when it is not what this program writes
 */
export function checkCounted(sessionId: SessionId, row: EventBody): CountedEvent {
  const said = decodeCounted(sessionId, row);
  const fault = faultOf(sessionId, row, said);
  if (fault !== null) throw new UnreadableRowError(`event of ${sessionId}`, new Error(fault));
  return said;
}

/**
 * The same with what it does not say.
 *
 * @throws UnreadableRowError when it is not what this program writes
 */
export function checkEvent(sessionId: SessionId, row: EventBody): SessionEvent {
  const said = checkCounted(sessionId, row) as Omit<SessionEvent, 'session_id'>;
  return { session_id: sessionId, ...UNSAID, ...said };
}

function faultOf(sessionId: SessionId, { kind }: EventBody, said: Readonly<Record<string, unknown>>): string | null {
  if (!isEventKind(kind)) return 'it is of no known kind';
  for (const name of ALWAYS_SAID) if (said[name] === undefined) return `it has no ${name}`;
  for (const name in said) {
    if (name === 'kind') continue;
    if (!isEventMember(name, said[name])) return EVENT_MEMBERS.has(name) ? `its ${name} is none` : 'it has an unknown member';
  }
  if (said['session_id'] !== undefined && said['session_id'] !== sessionId) return 'it is of another Session';
  return hasWholeCorrelation(said) ? null : 'it has half a correlation';
}

function sortedMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedMembers);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortedMembers(member)]));
}

function isUnsaid(name: string, value: unknown): boolean {
  if (!MAY_BE_UNSAID.has(name)) return false;
  return Array.isArray(value) ? value.length === 0 : value === null || value === false;
}
