import { parentPort, workerData } from 'node:worker_threads';
import type { FromOutputThread, OutputPipes, OutputThreadData, OutputQueries, OutputQuery, PairId, ToOutputThread } from '../messages.js';
import type { SharedTallies } from '../stream-tally.js';
import { openOutputFifos } from './fifo.js';
import { OutputPair } from './output-pair.js';

/*
 * The output thread: it reads what every child writes, holds the end of it, spools the
 * whole of it, and answers questions about it. A flood keeps this thread busy and
 * slows the children that make it down, nothing else.
 */

const { folder, spoolMaxBytes } = workerData as OutputThreadData;
const pairs = new Map<PairId, OutputPair>();

function tell(message: FromOutputThread): void {
  parentPort?.postMessage(message);
}

function createPair(id: PairId, name: string, tallies: SharedTallies): OutputPair {
  const pair = new OutputPair({
    name,
    tallies,
    folder,
    spoolMaxBytes,
    onSealed: (output) => tell({ tell: 'sealed', pair: id, output }),
    onLive: (stream, live, bytes) => tell({ tell: 'live', pair: id, stream, live, bytes }),
    onGrown: (bytes, lines) => tell({ tell: 'grown', pair: id, bytes, lines }),
    onMatched: (match, refused) => tell({ tell: 'matched', match, refused }),
  });
  pairs.set(id, pair);
  return pair;
}

async function make(count: number): Promise<void> {
  try {
    tell({ tell: 'made', pipes: await makePipes(count).catch(() => makePipes(1)) });
  } catch (error) {
    tell({ tell: 'not_made', reason: whyNot(error) });
  }
}

/** Pairs of FIFOs. Where descriptors run short a whole stock of them fails, and one pair may not. */
async function makePipes(count: number): Promise<OutputPipes[]> {
  const fifos = await openOutputFifos(folder, 2 * count);
  return fifos.flatMap((stdout, index) => {
    const stderr = fifos[index + 1];
    return index % 2 === 0 && stderr !== undefined ? [{ stdout, stderr }] : [];
  });
}

/** What mkfifo said first, or why it could not be run. */
function whyNot(error: unknown): string {
  const said = (error as { readonly stderr?: string }).stderr?.split('\n', 1)[0];
  return said !== undefined && said !== '' ? said : error instanceof Error ? error.message : String(error);
}

const queries: { readonly [Query in OutputQuery]: (ask: OutputQueries[Query]['ask']) => OutputQueries[Query]['answer'] } = {
  view: ({ pair, after, bounds }) => pairs.get(pair)?.view(after, bounds) ?? null,
  read: ({ pair, stream, range, readsOn }) => pairs.get(pair)?.readLines(stream, range, readsOn) ?? null,
  adopt: ({ pair, tallies, folder: from, name }) => {
    createPair(pair, name, tallies).adopt(from);
    return null;
  },
};

function answer<Query extends OutputQuery>(id: number, query: Query, ask: OutputQueries[Query]['ask']): void {
  try {
    tell({ tell: 'answer', id, answer: queries[query](ask) });
  } catch (error) {
    tell({ tell: 'fault', id, reason: error instanceof Error ? error.message : String(error) });
  }
}

function obey(message: ToOutputThread): void {
  switch (message.do) {
    case 'make':
      void make(message.count);
      break;
    case 'query':
      answer(message.id, message.query, message.ask);
      break;
    case 'take':
      createPair(message.pair, message.name, message.tallies).takeOver(message);
      break;
    case 'spool':
      pairs.get(message.pair)?.spool();
      break;
    case 'listen':
      pairs.get(message.pair)?.listen();
      break;
    case 'unlisten':
      pairs.get(message.pair)?.unlisten(message.readsOn);
      break;
    case 'taken':
      pairs.get(message.pair)?.taken(message.bytes);
      break;
    case 'drain':
      pairs.get(message.pair)?.drain();
      break;
    case 'close':
      pairs.get(message.pair)?.close();
      break;
    case 'watch':
      pairs.get(message.pair)?.watch(message.on);
      break;
    case 'match':
      pairs.get(message.pair)?.match(message.match, message.pattern);
      break;
    case 'unmatch':
      for (const pair of pairs.values()) pair.unmatch(message.match);
      break;
    case 'release':
      for (const id of message.pairs) {
        pairs.get(id)?.remove();
        pairs.delete(id);
      }
      break;
  }
}

parentPort?.on('message', (message: ToOutputThread) => obey(message));
