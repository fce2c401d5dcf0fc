import { isAbsolute, posix } from 'node:path';
import { firstCharacters } from '../redaction/index.js';
import { MAX_FURTHER_FAILURES } from '../kernel/validation-evidence.js';
import type { ParserContext } from './adapter.js';
import type { Bounded, Diagnostic, FailedTest } from './parsed-output.js';

const MAX_DIAGNOSTICS = 20;
const MAX_FAILED_TESTS = 20;
const MAX_MESSAGE_CHARACTERS = 240;
const MAX_NAME_CHARACTERS = 240;
const MAX_FILE_BYTES = 512;
/** `ESC [ … letter`: colour and cursor. */
const ANSI = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]`, 'g');

/**
 * Collects what a parser finds, within the bounds of spec 03 §7: 20 diagnostics and 20
 * failed tests, messages of 240 characters on one line, file names relative to the
 * project. Failures beyond them are kept apart to compare runs by, and the rest is counted.
 */
export class Findings {
  private readonly errors: Diagnostic[] = [];
  private readonly warnings: Diagnostic[] = [];
  private readonly failed: FailedTest[] = [];
  private readonly seen = new Set<string>();
  private diagnosticTotal = 0;
  private failedTotal = 0;

  constructor(private readonly context: ParserContext) {}

  /** A finding; one that is equal to a kept one (a file compiled twice) is none of its own. */
  diagnostic(found: Diagnostic): void {
    const kept = {
      ...found,
      message: oneLine(found.message, MAX_MESSAGE_CHARACTERS),
      file: this.file(found.file),
    };
    const key = JSON.stringify(kept);
    if (this.seen.has(key)) return;
    this.diagnosticTotal += 1;
    const list = found.severity === 'error' ? this.errors : this.warnings;
    if (list.length === (list === this.errors ? MAX_DIAGNOSTICS + MAX_FURTHER_FAILURES : MAX_DIAGNOSTICS)) return;
    list.push(kept);
    this.seen.add(key);
  }

  failedTest(found: FailedTest): void {
    this.failedTotal += 1;
    if (this.failed.length === MAX_FAILED_TESTS + MAX_FURTHER_FAILURES) return;
    this.failed.push({
      ...found,
      name: oneLine(found.name, MAX_NAME_CHARACTERS),
      message: found.message === null ? null : oneLine(found.message, MAX_MESSAGE_CHARACTERS),
      file: this.file(found.file),
    });
  }

  /** Failed tests that nothing more is known of. */
  moreFailedTests(count: number): void {
    this.failedTotal += count;
  }

  get hasErrors(): boolean {
    return this.errors.length > 0;
  }

  /** Errors come before warnings. */
  get diagnostics(): Bounded<Diagnostic> {
    return bounded([...this.errors.slice(0, MAX_DIAGNOSTICS), ...this.warnings].slice(0, MAX_DIAGNOSTICS), this.diagnosticTotal, this.errors.slice(MAX_DIAGNOSTICS));
  }

  get failedTests(): Bounded<FailedTest> {
    return bounded(this.failed.slice(0, MAX_FAILED_TESTS), this.failedTotal, this.failed.slice(MAX_FAILED_TESTS));
  }

  /** A file as the tool named it, relative to the project's root; null when it is outside. */
  private file(named: string | null): string | null {
    return named === null ? null : projectFile(named, this.context);
  }
}

function bounded<Item>(items: readonly Item[], total: number, further: readonly Item[]): Bounded<Item> {
  return { items, total, ...(further.length === 0 ? {} : { further }) };
}

/**
 * A file that a tool named, as a project-relative path; null when it lies outside the
 * project or is no plain path. Lexical: nothing is looked up.
 */
export function projectFile(named: string, { root, cwd }: ParserContext): string | null {
  if (named === '' || Buffer.byteLength(named) > MAX_FILE_BYTES || /\p{Cc}/u.test(named)) return null;
  const absolute = isAbsolute(named) ? posix.normalize(named) : posix.join(root, cwd, named);
  const relative = posix.relative(root, absolute);
  return relative === '' || relative === '..' || relative.startsWith('../') ? null : relative;
}

/** Text on one line, without colours, cut with an ellipsis. */
export function oneLine(text: string, maximum: number): string {
  const flat = withoutColour(text).replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const cut = firstCharacters(flat, maximum);
  return cut === flat ? flat : `${firstCharacters(flat, maximum - 1)}…`;
}

/** A line as it reads without its colours. */
export function withoutColour(line: string): string {
  return line.includes('\u001b') ? line.replace(ANSI, '') : line;
}
