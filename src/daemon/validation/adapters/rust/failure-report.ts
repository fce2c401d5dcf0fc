import type { FailedTest } from '../../parsed-output.js';

/** `thread 'NAME' (ID) panicked at FILE:LINE:COLUMN:`, the message on the next lines. */
const PANIC = /^thread '.*?'(?: \(\d+\))? panicked at (.+?):(\d+):\d+:$/;
/** The same until Rust 1.72: message and place on one line. */
const OLD_PANIC = /^thread '.*?' panicked at '(.*)', (.+?):(\d+):\d+$/;
const MESSAGE_END = /^(?:stack backtrace:|note: )/;
const DIAGNOSTIC = /^error(?:\[[A-Z0-9]+\])?: /;
const MAX_MESSAGE_LINES = 8;
/** Longer lines of a message are cut before they are kept, in UTF-16 units. */
const MAX_LINE_UNITS = 1_000;

/** What the captured output of one failed test says of its failure. */
export class FailureReport {
  private file: string | null = null;
  private lineNumber: number | null = null;
  private readonly message: string[] = [];
  private firstLine: string | null = null;
  private reading = false;

  constructor(private readonly name: string) {}

  line(text: string): void {
    if (this.firstLine === null && text.trim() !== '') this.firstLine = text.slice(0, MAX_LINE_UNITS);
    if (this.reading) {
      if (text === '' || MESSAGE_END.test(text) || this.message.length === MAX_MESSAGE_LINES) this.reading = false;
      else this.message.push(text.slice(0, MAX_LINE_UNITS));
      return;
    }
    if (this.message.length > 0) return;
    const panic = PANIC.exec(text);
    if (panic !== null) {
      this.file = panic[1] ?? null;
      this.lineNumber = Number(panic[2]);
      this.reading = true;
      return;
    }
    const old = OLD_PANIC.exec(text);
    if (old !== null) {
      this.message.push((old[1] ?? '').slice(0, MAX_LINE_UNITS));
      this.file = old[2] ?? null;
      this.lineNumber = Number(old[3]);
    } else if (DIAGNOSTIC.test(text)) {
      this.message.push(text.slice(0, MAX_LINE_UNITS));
    }
  }

  result(): FailedTest {
    return {
      name: this.name,
      message: this.message.length > 0 ? this.message.join(' ') : this.firstLine,
      file: this.file,
      line: this.lineNumber,
    };
  }
}
