import type {
  ExportSummary,
  ImportNotes,
  ImportReport,
  StatsReport,
  VerificationReport,
} from '../../protocol/ledger.js';
import { printable } from './printable.js';
import type { Style } from './style.js';
import { factLines, textTable } from './text-table.js';
import { byteSize, counted, utcTime } from './units.js';

/** An export in a file. */
export interface ExportedFile extends ExportSummary {
  readonly file: string;
  readonly chain_file?: string;
  readonly bytes: number;
}

/** `wc ledger export FILE`, for people. */
export function renderExport({ file, chain_file: chain, sessions, tombstones, bytes }: ExportedFile): string {
  const what = tombstones === 0 ? counted(sessions, 'Session') : `${counted(sessions, 'Session')} and ${counted(tombstones, 'tombstone')}`;
  const proof = chain === undefined ? '' : `, with the chain in ${printable(chain)}`;
  return `${what} written to ${printable(file)} (${byteSize(bytes)})${proof}.`;
}

/** `wc ledger import`, for people: what came back, then what did not. */
export function renderImport(report: ImportReport, style: Style): string {
  const facts = factLines(
    [
      ['restored', `${counted(report.sessions, 'Session')}, ${counted(report.events, 'event')}, ${counted(report.messages, 'message')}, ${counted(report.tombstones, 'tombstone')}`],
      ['pruned', report.pruned === 0 ? null : `${counted(report.pruned, 'closed Session')} beyond the historical limit`],
      ['chains', report.chains_verified === null ? null : `${counted(report.chains_verified, 'Session')} proven`],
      ['bindings', report.durable_binding_count === 0 ? null : `${counted(report.durable_binding_count, 'old binding')} read and not used`],
      ['dropped', totalText(report.dropped, 'row')],
      ['changed', totalText(report.changed, 'place')],
      ['sha256', report.document_sha256],
    ],
    style,
  );
  const notes = [...report.dropped.listed.map(noted('dropped')), ...report.changed.listed.map(noted('changed'))];
  if (notes.length === 0) return facts;
  const table = textTable(
    notes,
    [
      { title: 'row', value: ({ row }) => String(row), align: 'right' },
      { title: 'what', value: ({ what }) => what, paint: (text, { what }) => (what === 'dropped' ? style.bad(text) : style.warn(text)) },
      { title: 'why', value: ({ reason }) => reason.replaceAll('_', ' ') },
      { title: 'where', value: ({ at }) => at },
    ],
    style,
  );
  const more = report.dropped.total + report.changed.total - notes.length;
  return `${facts}\n\n${table}${more > 0 ? `\n${style.dim(`… ${more} more`)}` : ''}`;
}

function totalText({ total, by_reason: reasons }: ImportNotes, one: string): string | null {
  if (total === 0) return null;
  const kinds = Object.entries(reasons).map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`);
  return `${counted(total, one)}: ${kinds.join(', ')}`;
}

function noted<What extends string>(what: What) {
  return (note: ImportNotes['listed'][number]): ImportNotes['listed'][number] & { readonly what: What } => ({ ...note, what });
}

/** `wc ledger verify`, for people. */
export function renderVerification(report: VerificationReport, style: Style): string {
  const verdict = verdictText(report, style);
  const checked = [
    counted(report.sessions_checked, 'Session'),
    counted(report.events_checked, 'event'),
    counted(report.messages_checked, 'message'),
    counted(report.tombstones_checked, 'tombstone'),
  ];
  const facts = factLines([['ledger', verdict], ['checked', checked.join(', ')], ['anchor', anchorText(report, style)]], style);
  if (report.findings.length === 0) return facts;
  const table = textTable(
    report.findings,
    [
      { title: 'finding', value: ({ kind }) => kind.replaceAll('_', ' '), paint: (text) => style.bad(text) },
      { title: 'session', value: ({ session_id: id }) => id ?? '-' },
      { title: 'event', value: ({ sequence }) => (sequence === null ? '-' : String(sequence)), align: 'right' },
      { title: 'what', value: ({ message }) => message },
    ],
    style,
  );
  const more = report.findings_total - report.findings.length;
  return `${facts}\n\n${table}${more > 0 ? `\n${style.dim(`… ${more} more`)}` : ''}`;
}

function verdictText({ sound, findings_total: findings }: VerificationReport, style: Style): string {
  if (sound) return style.good('sound');
  return style.bad(findings === 0 ? 'not proven: its rows are sound, the anchor is not held' : `not sound: ${counted(findings, 'finding')}`);
}

function anchorText({ anchor }: VerificationReport, style: Style): string | null {
  if (anchor === null) return null;
  const made = anchor.made_at === null ? '' : ` (made ${utcTime(anchor.made_at * 1_000)})`;
  switch (anchor.status) {
    case 'unknown':
      return style.bad(`no anchor that is known here${made}: it proves nothing`);
    case 'contradicted':
      return `${style.bad('contradicted')}: ${counted(anchor.contradicted, 'Session')} with another history${made}`;
    case 'contained': {
      const gone = [
        anchor.evicted === 0 ? null : `${anchor.evicted} evicted since`,
        anchor.expired === 0 ? null : `${anchor.expired} expired since`,
      ].filter((text) => text !== null);
      return `${style.good('contained')}: ${[`${counted(anchor.proven, 'Session')} proven`, ...gone].join(', ')}${made}`;
    }
  }
}

/** `wc ledger stats`, for people. */
export function renderLedgerStats({ sizes, rows, limits, ...stats }: StatsReport, style: Style): string {
  const { oldest_created_at: oldest, newest_updated_at: newest } = stats;
  const facts = factLines(
    [
      ['database', `${byteSize(sizes.database_bytes)}, write-ahead log ${byteSize(sizes.wal_bytes)}`],
      ['sessions', `${rows.sessions}: ${stats.active_sessions} active, ${stats.closed_sessions} closed`],
      ['events', `${rows.session_events} retained of ${stats.events_observed} observed`],
      ['from', oldest === null ? null : utcTime(oldest * 1_000)],
      ['to', newest === null ? null : utcTime(newest * 1_000)],
    ],
    style,
  );
  const count = [{ title: 'rows', value: ([, value]: readonly [string, number]) => String(value), align: 'right' as const }];
  const name = { title: 'table', value: ([text]: readonly [string, number]) => text };
  const tables = textTable(Object.entries(rows), [name, ...count], style);
  const limit = { title: 'limit', value: ([text]: readonly [string, number]) => text };
  const bounds = textTable(
    Object.entries(limits),
    [limit, { title: 'value', value: ([, value]) => String(value), align: 'right' }],
    style,
  );
  return `${facts}\n\n${tables}\n\n${bounds}`;
}
