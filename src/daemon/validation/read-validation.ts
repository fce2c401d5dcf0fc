import type { RunnerPort } from '../runner-link/port.js';
import type { CreateParser, ParserContext, ParserId } from './adapter.js';
import type { ParsedOutput } from './parsed-output.js';
import { feedWholeOutput } from './spooled-output.js';

/** An ended run whose output is to be read. */
export interface EndedRun {
  readonly outputId: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly parser: ParserId;
}

/** By its id, the parser that understands a run's output; null for one of another version. */
export type FindParser = (id: ParserId) => CreateParser | null;

const UNREAD: ParsedOutput = {
  counts: null,
  reason: 'output_truncated',
  evidenceKind: null,
  diagnostics: { items: [], total: 0 },
  failedTests: { items: [], total: 0 },
};

/** What a run's output proves, and by which parser; null where none understands it. */
export interface ValidationReading {
  readonly parsed: ParsedOutput;
  readonly parser: ParserId | null;
  /** The Runner could not be asked for all of it; a later reading may prove more. */
  readonly unreachable: boolean;
}

/** Reads what an ended run printed, from its first byte to its last, and says what it proves. */
export async function readValidation(
  runner: RunnerPort,
  findParser: FindParser,
  run: EndedRun,
  context: ParserContext,
  signal: AbortSignal,
): Promise<ValidationReading> {
  const create = findParser(run.parser);
  if (create === null) return { parsed: UNREAD, parser: null, unreachable: false };
  const parser = create(context);
  const { truncated, unreachable } = await feedWholeOutput(runner, run.outputId, parser, signal);
  const parsed = parser.finish({ exitCode: run.exitCode, timedOut: run.timedOut, truncated });
  return { parsed, parser: run.parser, unreachable };
}
