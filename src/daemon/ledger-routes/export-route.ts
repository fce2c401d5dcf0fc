import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { z } from 'zod';
import { CHAIN_SEPARATOR, EXPORT_TRAILER, type ExportSummary } from '../../protocol/ledger.js';
import type { Principal } from '../kernel/principal.js';
import { operatorError, type OperatorAnswer, type StreamRoute } from '../operator-route.js';
import { ChainFileWriter, exportDocument, type LedgerPart, type SessionsDomain } from '../sessions/index.js';
import { refuseOthers } from './owner-only.js';
import { PacedWriter, ReaderGone } from '../paced-writer.js';
import { exportRequest, readRequest } from './requests.js';

type ExportRequest = z.output<typeof exportRequest>;

/** What an export reads: parts in the document's order, until it is closed. */
interface PartSource {
  readonly parts: AsyncIterable<LedgerPart> | Iterable<LedgerPart>;
  readonly close: () => void;
}

/**
 * `POST /api/ledger/export`: the version-2 document as it is read, in bounded memory and as
 * fast as its reader takes it; with `with_chain` the byte 0x1E and the chains after it. The
 * trailer `x-wc-ledger-export` says that it is whole; a document that broke off has none.
 */
export function exportRoute(sessions: SessionsDomain): StreamRoute {
  return {
    method: 'POST',
    path: '/api/ledger/export',
    takes: 'json',
    serve: async ({ body, principal, response }) => {
      const refused = refuseOthers(principal);
      if (refused !== null) return refused;
      const read = readRequest(exportRequest, body);
      if ('refusal' in read) return read.refusal;
      const source = await openParts(sessions, read.request, principal);
      if (source === null) return NO_SUCH_SESSION;
      try {
        await writeDocument(response, source.parts, read.request.with_chain);
      } catch (error) {
        if (!(error instanceof ReaderGone)) throw error;
      } finally {
        source.close();
      }
      return null;
    },
  };
}

const NO_SUCH_SESSION: OperatorAnswer = operatorError(
  404,
  'unknown_session',
  'there is no such Session, or its rows cannot be read',
  'wc session list shows yours',
);

async function openParts(sessions: SessionsDomain, { session_id: raw }: ExportRequest, principal: Principal): Promise<PartSource | null> {
  if (raw === undefined) {
    const ledger = await sessions.exportLedger();
    return { parts: ledger.parts(), close: () => ledger.close() };
  }
  const resolved = sessions.resolveSelector(raw, principal);
  const session = 'resolved' in resolved ? sessions.exportSession(resolved.resolved) : null;
  return session === null ? null : { parts: [{ session }], close: () => undefined };
}

async function writeDocument(response: ServerResponse, parts: PartSource['parts'], withChain: boolean): Promise<void> {
  const writer = new PacedWriter(response);
  const chains = withChain ? new ChainFileWriter() : null;
  const hash = createHash('sha256');
  response.writeHead(200, {
    'content-type': withChain ? 'application/octet-stream' : 'application/json',
    'cache-control': 'no-store',
    trailer: EXPORT_TRAILER,
  });
  const pieces = exportDocument(parts, (session) => chains?.add(session));
  let next = await pieces.next();
  for (; next.done !== true; next = await pieces.next()) {
    hash.update(next.value);
    await writer.write(next.value);
  }
  if (chains !== null) {
    await writer.write(Uint8Array.of(CHAIN_SEPARATOR));
    await writer.write(chains.text(hash.digest('hex')));
  }
  const summary: ExportSummary = next.value;
  response.addTrailers({ [EXPORT_TRAILER]: JSON.stringify(summary) });
  response.end();
}
