import { createContext, Script, type Context } from 'node:vm';

/** How long the expression may take on what came at once; a slower one is refused. */
const EXPRESSION_BUDGET_MS = 100;
/** What is held of an unterminated line for the expression. */
const MAX_LINE_CHARACTERS = 64 * 1_024;

const TEST_LINES = new Script('lines.some((line) => expression.test(line))');
const COMPILE = new Script('expression = new RegExp(source, "u")');

/** What somebody waits for in an output: a literal anywhere, or an expression on one line. */
export interface OutputPattern {
  readonly literal: string | null;
  readonly regex: string | null;
}

export class PatternRefusedError extends Error {}

/**
 * Looks for a pattern in a stream that comes in pieces. The expression is the caller's,
 * so it runs with a bound on its time.
 */
export class OutputMatcher {
  private readonly literal: Buffer | null;
  private carried = Buffer.alloc(0);
  private readonly expression: Context | null;
  private readonly decoder = new TextDecoder();
  private openLine = '';

  /** @throws PatternRefusedError when the expression does not compile */
  constructor({ literal, regex }: OutputPattern) {
    this.literal = literal === null ? null : Buffer.from(literal);
    this.expression = regex === null ? null : compile(regex);
  }

  /**
   * Whether the pattern stands in what came so far and has not been looked at before.
   * @throws PatternRefusedError when the expression takes too long
   */
  feed(chunk: Uint8Array): boolean {
    return this.holdsLiteral(chunk) || this.matchesLine(chunk);
  }

  private holdsLiteral(chunk: Uint8Array): boolean {
    if (this.literal === null) return false;
    const bytes = Buffer.concat([this.carried, chunk]);
    this.carried = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.literal.length + 1)));
    return bytes.includes(this.literal);
  }

  private matchesLine(chunk: Uint8Array): boolean {
    if (this.expression === null) return false;
    const lines = (this.openLine + this.decoder.decode(chunk, { stream: true })).split('\n');
    this.openLine = lines.at(-1)?.slice(0, MAX_LINE_CHARACTERS) ?? '';
    this.expression['lines'] = lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    try {
      return TEST_LINES.runInContext(this.expression, { timeout: EXPRESSION_BUDGET_MS }) === true;
    } catch (error) {
      throw new PatternRefusedError(`The expression took more than ${EXPRESSION_BUDGET_MS} ms.`, { cause: error });
    }
  }
}

function compile(source: string): Context {
  const context = createContext({ source, expression: null, lines: [] });
  try {
    COMPILE.runInContext(context, { timeout: EXPRESSION_BUDGET_MS });
  } catch (error) {
    throw new PatternRefusedError(error instanceof Error ? error.message : 'The expression does not compile.', { cause: error });
  }
  return context;
}
