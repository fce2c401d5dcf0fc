import type { Database } from 'better-sqlite3';
import type { AuthorityFingerprint, ProjectId, SessionId } from '../../protocol/ids.js';
import type { Lifecycle, OrderedSession } from './access-order.js';
import type { EventBody } from './event-body.js';
import { digestOf, type Digest, type EventChain } from './event-chain.js';
import type { EventKind } from './event-row.js';
import { headOfRow, type SessionHead } from './session-head.js';

/** Whose Sessions of which project a list is about. */
export interface SessionFilter {
  readonly project: ProjectId;
  readonly owner: AuthorityFingerprint;
  readonly lifecycle: Lifecycle | null;
}

/** The rows of Sessions and their events. It decides nothing; writes run inside a commit. */
export class SessionStore {
  private readonly selectOrder;
  private readonly selectRowOrder;
  private readonly deleteSome;
  private readonly selectLastNumber;
  private readonly selectHead;
  private readonly selectLive;
  private readonly selectOccupied;
  private readonly insertRow;
  private readonly updateRow;
  private readonly updateTail;
  private readonly updateTailOnly;
  private readonly deleteRow;
  private readonly insertEvent;
  private readonly deleteEvents;
  private readonly selectDigest;
  private readonly updateBody;
  private readonly updateChain;
  private readonly selectWithoutChain;
  private readonly selectEvents;
  private readonly selectEventsOfKinds;
  private readonly countOfProject;
  private readonly selectOfProject;
  private readonly selectLifecycles;

  constructor(database: Database) {
    this.selectOrder = database.prepare<[], OrderedSession>(
      'SELECT session_id, lifecycle FROM sessions ORDER BY updated_at, session_id',
    );
    this.selectRowOrder = database.prepare<[], OrderedSession>(
      'SELECT session_id, lifecycle FROM sessions ORDER BY session_number',
    );
    this.deleteSome = database.prepare(
      'DELETE FROM sessions WHERE session_number IN (SELECT session_number FROM sessions ORDER BY session_number LIMIT ?)',
    );
    this.selectLastNumber = database
      .prepare<[], number>('SELECT coalesce(max(session_number), 0) FROM sessions')
      .pluck();
    this.selectHead = database.prepare<[string]>('SELECT * FROM sessions WHERE session_id = ?');
    this.selectLive = database.prepare<[string], number>('SELECT 1 FROM sessions WHERE session_id = ?').pluck();
    this.selectOccupied = database
      .prepare<[string, string], number>(
        `SELECT EXISTS (SELECT 1 FROM sessions WHERE session_id = ?)
             OR EXISTS (SELECT 1 FROM session_tombstones WHERE session_id = ?)`,
      )
      .pluck();
    this.insertRow = database.prepare(
      `INSERT INTO sessions (session_id, owner_authority_fingerprint, project, title, mode, deny_write_tools,
         deny_shell_tools, execution_context, lifecycle, created_at, updated_at, events_observed,
         first_retained_sequence, git_baseline_tree, repository_edit_observed,
         chain_origin, chain_document_digest, chain_start, chain_anchor, chain_head)
       VALUES (@session_id, @owner_authority_fingerprint, @project, @title, @mode, @deny_write_tools,
         @deny_shell_tools, @execution_context, @lifecycle, @created_at, @updated_at, @events_observed,
         @first_retained_sequence, @git_baseline_tree, @repository_edit_observed,
         @chain_origin, @chain_document_digest, @chain_start, @chain_anchor, @chain_head)`,
    );
    this.updateRow = database.prepare(
      `UPDATE sessions SET mode = @mode, deny_write_tools = @deny_write_tools, deny_shell_tools = @deny_shell_tools,
         execution_context = @execution_context, lifecycle = @lifecycle, updated_at = @updated_at,
         events_observed = @events_observed, first_retained_sequence = @first_retained_sequence,
         repository_edit_observed = @repository_edit_observed, chain_anchor = @chain_anchor, chain_head = @chain_head
       WHERE session_number = @session_number`,
    );
    this.updateTail = database.prepare(
      `UPDATE sessions SET updated_at = ?, events_observed = ?, first_retained_sequence = ?, repository_edit_observed = ?,
         chain_anchor = ?, chain_head = ?
       WHERE session_number = ?`,
    );
    this.updateTailOnly = database.prepare(
      `UPDATE sessions SET events_observed = ?, first_retained_sequence = ?, repository_edit_observed = ?,
         chain_anchor = ?, chain_head = ?
       WHERE session_number = ?`,
    );
    this.deleteRow = database.prepare("DELETE FROM sessions WHERE session_number = ? AND lifecycle = 'closed'");
    this.insertEvent = database.prepare(
      'INSERT INTO session_events (session_number, sequence, kind, body, digest) VALUES (?, ?, ?, ?, ?)',
    );
    this.deleteEvents = database.prepare('DELETE FROM session_events WHERE session_number = ? AND sequence < ?');
    this.selectDigest = database
      .prepare<[number, number]>('SELECT digest FROM session_events WHERE session_number = ? AND sequence = ?')
      .pluck();
    this.updateBody = database.prepare(
      'UPDATE session_events SET body = ?, digest = ? WHERE session_number = ? AND sequence = ?',
    );
    this.updateChain = database.prepare(
      `UPDATE sessions SET chain_origin = @chain_origin, chain_document_digest = @chain_document_digest,
         chain_start = @chain_start, chain_anchor = @chain_anchor, chain_head = @chain_head
       WHERE session_number = @session_number`,
    );
    this.selectWithoutChain = database.prepare<[number], { session_number: number; session_id: SessionId }>(
      `SELECT session_number, session_id FROM sessions
       WHERE chain_head IS NULL AND session_number > ? ORDER BY session_number LIMIT 1`,
    );
    this.selectEvents = database.prepare<[number, number], EventBody>(
      'SELECT kind, body FROM session_events WHERE session_number = ? AND sequence >= ? ORDER BY sequence',
    );
    this.selectEventsOfKinds = database.prepare<[number, string], EventBody>(
      `SELECT kind, body FROM session_events
       WHERE session_number = ? AND kind IN (SELECT value FROM json_each(?)) ORDER BY sequence`,
    );
    const ofProject =
      'project = @project AND owner_authority_fingerprint = @owner AND (@lifecycle IS NULL OR lifecycle = @lifecycle)';
    this.countOfProject = database
      .prepare<[SessionFilter], number>(`SELECT count(*) FROM sessions WHERE ${ofProject}`)
      .pluck();
    this.selectOfProject = database
      .prepare<[SessionFilter & { limit: number; offset: number }], SessionId>(
        `SELECT session_id FROM sessions WHERE ${ofProject} ORDER BY updated_at DESC, session_id LIMIT @limit OFFSET @offset`,
      )
      .pluck();
    this.selectLifecycles = database.prepare<[string], { lifecycle: 'active' | 'closed'; sessions: number }>(
      'SELECT lifecycle, count(*) AS sessions FROM sessions WHERE project = ? GROUP BY lifecycle',
    );
  }

  /** How many retained Sessions of a project are in each lifecycle, whoever owns them. */
  lifecyclesOf(project: ProjectId): readonly { readonly lifecycle: 'active' | 'closed'; readonly sessions: number }[] {
    return this.selectLifecycles.all(project);
  }

  /** Every Session's id and lifecycle, longest unchanged first: all that a start reads. */
  order(): readonly OrderedSession[] {
    return this.selectOrder.all();
  }

  /** The same in the order of their rows: that of the document, after an import. */
  rowOrder(): readonly OrderedSession[] {
    return this.selectRowOrder.all();
  }

  /** Removes up to `count` Sessions of an import that is given up, whatever they are; how many there were. */
  removeUnpublished(count: number): number {
    return this.deleteSome.run(count).changes;
  }

  /** The highest row, 0 when there is none. */
  lastNumber(): number {
    return this.selectLastNumber.get() ?? 0;
  }

  /**
   * The head of a retained Session, or null.
   *
   * @throws UnreadableRowError
   */
  head(id: SessionId): SessionHead | null {
    const row = this.selectHead.get(id);
    return row === undefined ? null : headOfRow(row);
  }

  /** Whether there is a row of the Session, readable or not. */
  isLive(id: SessionId): boolean {
    return this.selectLive.get(id) !== undefined;
  }

  /** Whether a live Session or a tombstone has the id. */
  isOccupied(id: SessionId): boolean {
    return this.selectOccupied.get(id, id) === 1;
  }

  /** @returns the head with the number of its new row */
  insert(head: Omit<SessionHead, 'number'>): SessionHead {
    const { lastInsertRowid } = this.insertRow.run({
      session_id: head.sessionId,
      owner_authority_fingerprint: head.ownerFingerprint,
      project: head.project,
      title: head.title,
      created_at: head.createdAt,
      git_baseline_tree: head.gitBaselineTree,
      ...mutableColumns(head),
      ...chainColumns(head.chain),
    });
    return { ...head, number: Number(lastInsertRowid) };
  }

  /** Writes what a mutation may change of a head. */
  update(head: SessionHead): void {
    this.updateRow.run({ session_number: head.number, ...mutableColumns(head), ...chainColumns(head.chain) });
  }

  /** Writes what an append changes of a head: less, since every recorded call does it. */
  updateAppended(before: SessionHead, head: SessionHead): void {
    const edited = head.repositoryEditObserved ? 1 : 0;
    const { anchor, head: newest } = head.chain ?? { anchor: null, head: null };
    const { eventsObserved, firstRetainedSequence, number } = head;
    if (before.updatedAt === head.updatedAt) {
      this.updateTailOnly.run(eventsObserved, firstRetainedSequence, edited, anchor, newest, number);
    } else {
      this.updateTail.run(head.updatedAt, eventsObserved, firstRetainedSequence, edited, anchor, newest, number);
    }
  }

  /** Gives a Session the chain that its rows did not have. */
  writeChain(head: SessionHead, chain: EventChain): void {
    this.updateChain.run({ session_number: head.number, ...chainColumns(chain) });
  }

  /** The first Session without a chain in a higher row, or null. */
  withoutChain(after: number): { readonly number: number; readonly sessionId: SessionId } | null {
    const row = this.selectWithoutChain.get(after);
    return row === undefined ? null : { number: row.session_number, sessionId: row.session_id };
  }

  /** Removes a Closed Session with its events; an Active one is left alone. */
  removeClosed(head: SessionHead): boolean {
    return this.deleteRow.run(head.number).changes === 1;
  }

  appendEvent(head: Pick<SessionHead, 'number'>, sequence: number, { kind, body }: EventBody, digest: Digest): void {
    this.insertEvent.run(head.number, sequence, kind, body, digest);
  }

  /** Writes an event that has no digest yet anew, in its one encoding. */
  chainEvent(head: SessionHead, sequence: number, { body }: EventBody, digest: Digest): void {
    this.updateBody.run(body, digest, head.number, sequence);
  }

  /** The digest of a retained event; null for one without, or for none. */
  digest(head: SessionHead, sequence: number): Digest | null {
    return digestOf(this.selectDigest.get(head.number, sequence));
  }

  evictBefore(head: SessionHead, sequence: number): void {
    this.deleteEvents.run(head.number, sequence);
  }

  /** The retained events from an absolute sequence on, in ledger order. */
  events(head: SessionHead, from: number): EventBody[] {
    return this.selectEvents.all(head.number, from);
  }

  /** The retained events of some kinds, in ledger order. */
  eventsOfKinds(head: SessionHead, kinds: readonly EventKind[]): EventBody[] {
    return this.selectEventsOfKinds.all(head.number, JSON.stringify(kinds));
  }

  count(filter: SessionFilter): number {
    return this.countOfProject.get(filter) ?? 0;
  }

  /** The ids of a page in the order of `list_sessions`: latest update first, then by id. */
  page(filter: SessionFilter, offset: number, limit: number): SessionId[] {
    return this.selectOfProject.all({ ...filter, offset, limit });
  }
}

function chainColumns(chain: EventChain | null) {
  return {
    chain_origin: chain?.origin ?? null,
    chain_document_digest: chain?.documentDigest ?? null,
    chain_start: chain?.start ?? null,
    chain_anchor: chain?.anchor ?? null,
    chain_head: chain?.head ?? null,
  };
}

function mutableColumns(head: Omit<SessionHead, 'number'>) {
  return {
    mode: head.mode,
    deny_write_tools: head.guards.deny_write_tools ? 1 : 0,
    deny_shell_tools: head.guards.deny_shell_tools ? 1 : 0,
    execution_context: JSON.stringify(head.executionContext),
    lifecycle: head.lifecycle,
    updated_at: head.updatedAt,
    events_observed: head.eventsObserved,
    first_retained_sequence: head.firstRetainedSequence,
    repository_edit_observed: head.repositoryEditObserved ? 1 : 0,
  };
}
