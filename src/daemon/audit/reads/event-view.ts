import { isJsonMap } from '../json-value.js';
import { parseStoredObject, redactForView } from '../redaction-pass.js';

/** The columns that a view of an event is made of; attribution and window columns are never read. */
export const VIEW_COLUMNS = `event_id, session_id, started_at, ended_at, duration_ms, endpoint, operation, action_name,
  project, status, http_status, error_summary, warning_summary, changed_files_json, ids_json, summary_json,
  request_bytes, response_bytes`;

/** A row of those columns. */
export interface ViewRow {
  readonly event_id: string;
  readonly session_id: string;
  readonly started_at: number;
  readonly ended_at: number;
  readonly duration_ms: number;
  readonly endpoint: string;
  readonly operation: string | null;
  readonly action_name: string;
  readonly project: string | null;
  readonly status: string;
  readonly http_status: number | null;
  readonly error_summary: string | null;
  readonly warning_summary: string | null;
  readonly changed_files_json: string;
  readonly ids_json: string;
  readonly summary_json: string;
  readonly request_bytes: number | null;
  readonly response_bytes: number | null;
}

/** What an operator sees of an event: exactly eighteen members (spec 05 §4). */
export type EventView = Omit<ViewRow, 'changed_files_json' | 'ids_json' | 'summary_json'> & {
  readonly changed_files: readonly string[];
  readonly ids: Readonly<Record<string, unknown>>;
  readonly summary: Readonly<Record<string, unknown>>;
};

/** The documents of a row; a broken one reads as empty and is told. */
export interface EventDocuments {
  readonly changedFiles: readonly string[];
  readonly ids: Readonly<Record<string, unknown>>;
  readonly summary: Readonly<Record<string, unknown>>;
  readonly undecodable: boolean;
}

type Stored = Pick<ViewRow, 'changed_files_json' | 'ids_json' | 'summary_json'>;

export function decodeDocuments(row: Stored): EventDocuments {
  const changedFiles = parsePaths(row.changed_files_json);
  const ids = parseStoredObject(row.ids_json);
  const summary = parseStoredObject(row.summary_json);
  return {
    changedFiles: changedFiles ?? [],
    ids: ids ?? {},
    summary: summary ?? {},
    undecodable: changedFiles === null || ids === null || summary === null,
  };
}

export function eventView(row: ViewRow): EventView {
  const { changed_files_json, ids_json, summary_json, ...columns } = row;
  const documents = decodeDocuments({ changed_files_json, ids_json, summary_json });
  return {
    ...columns,
    changed_files: documents.changedFiles,
    ids: viewOf(documents.ids),
    summary: viewOf(documents.summary),
  };
}

function viewOf(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const view = redactForView(document);
  return isJsonMap(view) ? view : {};
}

function parsePaths(text: string): readonly string[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((path) => typeof path === 'string') ? value : null;
  } catch {
    return null;
  }
}
