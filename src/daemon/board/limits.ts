/*
 * What bounds a message (spec 02 §A1), in Unicode code points. The bounds of stored text
 * are the same ones that a restore of the ledger applies.
 */

export const MESSAGE_CHARACTERS = 8_000;
export const TAGS_MAX = 16;
export const TAG_CHARACTERS = 64;
/** Of a delivery key and of a completion key. */
export const KEY_CHARACTERS = 128;

/** Direct replies that an assignment may have (spec 02 §A5). */
export const ASSIGNMENT_REPLIES_MAX = 16;

/** Messages of one list or one observation. */
export const MESSAGES_SHOWN_MAX = 100;
export const MESSAGES_SHOWN_DEFAULT = 50;

/** The longest wait for a change, in seconds. */
export const WAIT_SECS_MAX = 60;
