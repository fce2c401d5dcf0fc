/** Why a document as a whole is not restored (spec 01 §4). */
export type RejectionReason =
  | 'unreadable'
  | 'not_utf8'
  | 'bad_json'
  | 'trailing_bytes'
  | 'unsupported_version'
  | 'missing_member'
  | 'duplicate_member'
  | 'unknown_member'
  | 'too_deep'
  | 'too_large'
  | 'chain_mismatch';

/** The document is rejected whole, and nothing of it is published. Its values are never quoted. */
export class RejectedDocument extends Error {
  constructor(
    readonly reason: RejectionReason,
    message: string,
  ) {
    super(message);
    this.name = 'RejectedDocument';
  }
}
