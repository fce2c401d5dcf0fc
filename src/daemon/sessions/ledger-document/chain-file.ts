import { z } from 'zod';
import type { SessionId } from '../../../protocol/ids.js';
import { SESSION_ID_PATTERN } from '../../../protocol/ids.js';
import type { LedgerChain, LedgerSession } from '../ledger-rows.js';
import { RESTORED_COUNT_MAX } from '../limits.js';
import { RejectedDocument } from './rejected-document.js';

/** Far above the chains of any ledger that was measured: some 200,000 Sessions. */
const MAX_BYTES = 64 * 1024 * 1024;

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();

const header = z.strictObject({ format: z.literal('webcodex-ledger-chain'), version: z.literal(1) });
const trailer = z.strictObject({ document_sha256: digest, sessions: count });
const line = z.strictObject({
  session_id: z.string().regex(SESSION_ID_PATTERN),
  origin: z.enum(['created', 'adopted', 'imported']),
  document_digest: digest.nullable(),
  start: z.int().nonnegative().max(RESTORED_COUNT_MAX),
  anchor: digest,
  head: digest,
});

/**
 * What is exported beside a document, so that an import can prove its events (spec 00,
 * decision 41): JSON lines, the format first, then each Session's chain in the document's
 * order, and last the digest of the document that they belong to.
 */
export class ChainFileWriter {
  private readonly lines: string[] = [JSON.stringify({ format: 'webcodex-ledger-chain', version: 1 })];
  private sessions = 0;

  /** A Session that has no chain yet has no line. */
  add({ sessionId, chain }: LedgerSession): void {
    if (chain === null) return;
    const { origin, documentDigest, start, anchor, head } = chain;
    this.sessions += 1;
    this.lines.push(
      JSON.stringify({ session_id: sessionId, origin, document_digest: documentDigest, start, anchor, head }),
    );
  }

  /** @param documentDigest SHA-256 of the document's bytes, 64 lower hex */
  text(documentDigest: string): string {
    const last = JSON.stringify({ document_sha256: documentDigest, sessions: this.sessions });
    return `${[...this.lines, last].join('\n')}\n`;
  }
}

/**
 * The chains in a file that belongs to the document with this digest.
 *
 * @throws RejectedDocument `chain_mismatch` when it is no such file, or another document's
 */
export function readChainFile(bytes: Buffer, documentDigest: string): ReadonlyMap<SessionId, LedgerChain> {
  if (bytes.length > MAX_BYTES) throw noChain(`the chain is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
  const [first, ...rest] = bytes.toString('utf8').split('\n');
  if (!header.safeParse(parse(first)).success) {
    throw noChain('what follows the document after the byte 0x1E is no chain file; the document itself cannot have that byte');
  }
  if (rest.pop() !== '') throw noChain('the chain does not end with a line break');
  const last = trailer.safeParse(parse(rest.pop()));
  if (!last.success) throw noChain('the chain file is not whole');
  if (last.data.document_sha256 !== documentDigest) throw noChain('the chain belongs to another document');
  const chains = new Map<SessionId, LedgerChain>();
  for (const text of rest) {
    const { success, data } = line.safeParse(parse(text));
    if (!success) throw noChain('a line of the chain file is malformed');
    const { session_id: id, document_digest: imported, ...chain } = data;
    chains.set(id as SessionId, { ...chain, documentDigest: imported });
  }
  if (chains.size !== last.data.sessions) throw noChain('the chain file is not whole');
  return chains;
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

function noChain(message: string): RejectedDocument {
  return new RejectedDocument('chain_mismatch', message);
}
