/** What bounds the ledger (spec 01 §5), from the configuration. */
export interface SessionLimits {
  /** How many Sessions may stay expanded in memory; 0 still keeps the one that a mutation works on. */
  readonly hotSessionCapacityTarget: number;
  /** How many Closed Sessions, and as many tombstones, are retained; 0 keeps neither. */
  readonly historicalSessionRetentionLimit: number;
  /** How many events of a Session are retained, first in first out. */
  readonly eventsPerSession: number;
  /** How many messages of a Session are retained. */
  readonly messagesPerSession: number;
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  hotSessionCapacityTarget: 100,
  historicalSessionRetentionLimit: 100,
  eventsPerSession: 2_000,
  messagesPerSession: 200,
};

/** Code points of an instruction and of a title. */
export const INSTRUCTION_CHARACTERS = 4_000;
/** Code points of a string in a summary: titles in lists, error messages in events. */
export const SUMMARY_CHARACTERS = 240;
/** Code points of a string in `input_summary`. */
export const INPUT_CHARACTERS = 120;
export const INPUT_OBJECT_KEYS = 16;
export const INPUT_ARRAY_ITEMS = 8;

/** Paths of one event, and the UTF-8 bytes of each. */
export const CHANGED_PATHS_PER_EVENT = 8;
export const OBSERVED_PATHS_PER_EVENT = 201;
export const PATH_BYTES = 512;

/** Code points of each tail in `validation_output_summary`. */
export const VALIDATION_TAIL_CHARACTERS = 800;

/** Terminal validation Jobs that a Session remembers, and that one call may bring. */
export const VALIDATION_MARKERS = 64;
export const TERMINAL_CANDIDATES_MAX = 64;

/** Events that a summary shows: at most, and when nothing is said. */
export const SUMMARY_EVENTS_MAX = 200;
export const SUMMARY_EVENTS_DEFAULT = 50;

/** Rows of a page of `list_sessions`, and the bytes of its JSON. */
export const LIST_ROWS_MAX = 20;
export const LIST_ROWS_DEFAULT = 10;
export const LIST_JSON_BYTES = 32 * 1024;

/** Unix seconds that a row may hold: those that RFC 3339 can write, to the end of the year 9999. */
export const SECONDS_MAX = 253_402_300_799;
/** What a counter of a document may say; it goes on from there, and numbers stay exact to 2^53. */
export const RESTORED_COUNT_MAX = 2 ** 52;
