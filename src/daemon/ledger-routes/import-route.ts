import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ImportReport } from '../../protocol/ledger.js';
import { operatorError, type OperatorAnswer, type StreamRoute } from '../operator-route.js';
import { importDocument, readChainFile, RejectedDocument, type RestoreLimits, type SessionsDomain } from '../sessions/index.js';
import { CommitFailedError } from '../storage/commit-queue.js';
import { refuseForeignEncoding } from './foreign-encoding.js';
import { refuseOthers } from './owner-only.js';
import { keepRejected } from './rejected-files.js';
import { spoolUpload, type SpooledUpload } from './spool-upload.js';

export interface ImportParts {
  readonly sessions: SessionsDomain;
  readonly limits: RestoreLimits;
  /** The state folder. */
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newName: () => string;
}

/** Read in pieces that are short to judge and few to open. */
const READ_BYTES = 256 * 1024;

/**
 * `POST /api/ledger/import`: a version-2 document as the body, and after the byte 0x1E its
 * chains; restored into an empty ledger, all of it or nothing. A rejected document is kept
 * beside the ledger.
 */
export function importRoute(parts: ImportParts): StreamRoute {
  return {
    method: 'POST',
    path: '/api/ledger/import',
    takes: 'stream',
    serve: async ({ bytes, principal }) => refuseOthers(principal) ?? takeUpload(parts, bytes),
  };
}

async function takeUpload(parts: ImportParts, bytes: AsyncIterable<Uint8Array>): Promise<OperatorAnswer> {
  let upload: SpooledUpload;
  try {
    upload = await spoolUpload(bytes, parts.folder, parts.newName());
  } catch (error) {
    return unwritable(error);
  }
  try {
    return await restore(parts, upload);
  } catch (error) {
    if (error instanceof RejectedDocument) return await reject(parts, upload, error);
    if (error instanceof CommitFailedError) return unwritable(error);
    throw error;
  } finally {
    await rm(upload.path, { force: true });
  }
}

async function restore({ sessions, limits }: ImportParts, upload: SpooledUpload): Promise<OperatorAnswer> {
  const { path, size, digest, chain } = upload;
  await refuseForeignEncoding(path);
  const chains = chain === null ? null : readChainFile(chain, digest);
  const bytes = size === 0 ? Readable.from([]) : createReadStream(path, { highWaterMark: READ_BYTES, end: size - 1 });
  const report = await importDocument(sessions, limits, { bytes, size, digest, chains });
  if (!('refused' in report)) return { status: 200, body: { ...report } satisfies ImportReport };
  if (report.refused === 'import_in_progress') {
    return operatorError(409, 'ledger_import_in_progress', 'an import is under way', 'wait until it has ended');
  }
  return operatorError(
    409,
    'ledger_not_empty',
    `the ledger is not empty (Sessions: ${report.sessions}, tombstones: ${report.tombstones}), and only an empty one takes a document`,
    'import into a state folder of its own: set WC_HOME to an empty folder',
  );
}

async function reject({ sessions, folder, now }: ImportParts, upload: SpooledUpload, rejected: RejectedDocument): Promise<OperatorAnswer> {
  const kept = await keepRejected(upload.path, folder, now());
  sessions.noteRestoreFailed(rejected.message);
  return operatorError(
    422,
    'ledger_document_rejected',
    `restore_failed: ${rejected.message}; nothing of the document was restored`,
    `it is kept as ${kept}`,
  );
}

function unwritable(error: unknown): OperatorAnswer {
  const message = error instanceof Error ? error.message : String(error);
  return operatorError(503, 'storage_unavailable', `the document could not be taken: ${message}`, 'free some space and try again');
}
