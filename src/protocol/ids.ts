/**
 * The identities of the house. Each is a type of its own, so that one can never
 * be handed in where another is meant, and none is ever derived from "the most
 * recent one".
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A Workflow Session: `wc_sess_` + 16 base64url characters (or 32 lower hex). */
export type SessionId = Branded<'SessionId'>;
/** A principal-scoped selector of one Session incarnation: `~sN`. */
export type SessionRef = Branded<'SessionRef'>;
/** A principal-scoped selector of one registered project root: `~pN`. */
export type ProjectRef = Branded<'ProjectRef'>;
/** A registered project: `agent:<client_id>:<name>`. */
export type ProjectId = Branded<'ProjectId'>;
/** One row of a Session's event tail: `evt_` + 32 hex. */
export type EventId = Branded<'EventId'>;
/** One started/finished pair in one Session: `wc_call_` + 32 hex. */
export type PairId = Branded<'PairId'>;
/** A message on a Session's board: `wc_msg_` + 16 base64url characters (or 32 lower hex). */
export type MessageId = Branded<'MessageId'>;
/** One kernel request, shared by its recorder and business pairs: `wc_inv_` + 32 hex. */
export type InvocationId = Branded<'InvocationId'>;
/** The caller's own UUID of a call, used to cancel it. */
export type CallId = Branded<'CallId'>;
/** A permission decision: `wc_perm_` + 32 hex. */
export type PermissionRequestId = Branded<'PermissionRequestId'>;
/** A Job of the Runner. */
export type JobId = Branded<'JobId'>;
/** Spooled output of one execution. */
export type OutputId = Branded<'OutputId'>;
/** One life of the Runner process. */
export type RunnerInstanceId = Branded<'RunnerInstanceId'>;
/** An Action Audit Session. */
export type AuditSessionId = Branded<'AuditSessionId'>;
/** One row of the Action Audit. */
export type AuditEventId = Branded<'AuditEventId'>;
/** The SHA-256 that stands for a host's window; the raw value is never kept. */
export type WindowKey = Branded<'WindowKey'>;
/** The SHA-256 of an authority group; the raw identity is never kept in a Session. */
export type AuthorityFingerprint = Branded<'AuthorityFingerprint'>;
/** The SHA-256 of one life of a Session id. */
export type IncarnationFingerprint = Branded<'IncarnationFingerprint'>;
/** The SHA-256 that pins a registered project to the very folder it was registered on. */
export type RootFingerprint = Branded<'RootFingerprint'>;

/** The selector that every schema with a `session_id` advertises (spec 00, decision 3). */
export const SESSION_SELECTOR_PATTERN =
  '^(~s[1-9][0-9]{0,18}|wc_sess_([A-Za-z0-9_-]{16}|[0-9a-f]{32}))$';
/** A canonical Session id, and nothing else. */
export const SESSION_ID_PATTERN = /^wc_sess_([A-Za-z0-9_-]{16}|[0-9a-f]{32})$/;
/** A canonical message id, and nothing else. */
export const MESSAGE_ID_PATTERN = /^wc_msg_([A-Za-z0-9_-]{16}|[0-9a-f]{32})$/;
const SESSION_REF = /^~s[1-9][0-9]{0,18}$/;
const PROJECT_ID = /^agent:[A-Za-z0-9_-]{1,64}:[A-Za-z0-9_.-]{1,128}$/;
const PROJECT_REF = /^~p[1-9][0-9]{0,18}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The canonical Session id in `text`, or null when it is none. */
export function parseSessionId(text: string): SessionId | null {
  return SESSION_ID_PATTERN.test(text) ? (text as SessionId) : null;
}

/** The `~sN` selector in `text`, or null when it is malformed. */
export function parseSessionRef(text: string): SessionRef | null {
  return SESSION_REF.test(text) ? (text as SessionRef) : null;
}

/** Anything that starts like a Session ref is an attempt at one, however malformed (spec 01 §1). */
export function isSessionRefAttempt(text: string): boolean {
  return text.startsWith('~s');
}

/** The canonical project id in `text`, or null when it is none. */
export function parseProjectId(text: string): ProjectId | null {
  return PROJECT_ID.test(text) ? (text as ProjectId) : null;
}

/** The `~pN` selector in `text`, or null when it is malformed. */
export function parseProjectRef(text: string): ProjectRef | null {
  return PROJECT_REF.test(text) ? (text as ProjectRef) : null;
}

/** The caller's call id in `text`, or null when it is no UUID. */
export function parseCallId(text: string): CallId | null {
  return UUID.test(text) ? (text.toLowerCase() as CallId) : null;
}
