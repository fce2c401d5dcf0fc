import { writeSync } from 'node:fs';

/*
 * The report that wc reads of a test run: JSON lines on a channel of their own, so that
 * nothing that a test prints can be taken for a result. These files run inside the user's
 * test runner, with whatever Node it has; they need nothing but Node's own modules.
 *
 *   {"wc_report":1,"runner":"vitest"}                                      first
 *   {"case":"passed"} {"case":"skipped"}                                   a test, as it ended
 *   {"case":"failed","name":…,"message":…,"file":…,"line":…}               one that failed
 *   {"problem":…,"phase":"load","file":…,"line":…}                         a file that did not load
 *   {"problem":…,"phase":"run","file":…,"line":…}                          an error outside of any test
 *   {"unavailable":…}                                                      the runner is not installed
 *   {"end":{"passed":…,"failed":…,"skipped":…}}                            last: the sums
 *
 * What the runner does not say is null. A report without its end is one of a run that
 * broke off.
 */

/** The channel: the program of the run is started with this descriptor, and its children do not get it. */
const CHANNEL = 3;
const MAX_TEXT = 1_000;
/** `ESC [ … letter`: colours. */
const COLOUR = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]`, 'g');
/** The place of a stack frame, in a file or at a `file:` URL. */
const FRAME = /(?:\(|at |@)(?:async )?((?:file:\/\/)?\/[^()]*?):(\d+):\d+\)?$/;

/** One run's report. Every line is out before anything else happens, whatever ends the run. */
export class Report {
  #sums = { passed: 0, failed: 0, skipped: 0 };

  /** @param {string} runner the test runner's name */
  constructor(runner) {
    write({ wc_report: 1, runner });
  }

  /** A test that ended, `passed` or `skipped`. */
  count(status) {
    this.#sums[status] += 1;
    write({ case: status });
  }

  /** @param {{ name: string, message: string | null, file: string | null, line: number | null }} test */
  failed({ name, message, file, line }) {
    this.#sums.failed += 1;
    write({ case: 'failed', name: bounded(name), message: bounded(message), file, line });
  }

  /** @param {{ phase: 'load' | 'run', message: string, file: string | null, line: number | null }} problem */
  problem({ phase, message, file, line }) {
    write({ problem: bounded(message), phase, file, line });
  }

  end() {
    write({ end: this.#sums });
  }
}

/** The line of a stack's innermost frame in a file, or null. */
export function lineIn(file, stack) {
  for (const frame of String(stack ?? '').split('\n')) {
    const match = FRAME.exec(frame.trim());
    if (match !== null && decoded(match[1]) === file) return Number(match[2]);
  }
  return null;
}

function decoded(place) {
  try {
    return place.startsWith('file://') ? decodeURIComponent(new URL(place).pathname) : place;
  } catch {
    return place;
  }
}

function bounded(text) {
  return text === null || text === undefined ? null : String(text).replace(COLOUR, '').slice(0, MAX_TEXT).trim();
}

function write(facts) {
  for (let rest = Buffer.from(`${JSON.stringify(facts)}\n`); rest.length > 0; ) rest = rest.subarray(writeSync(CHANNEL, rest));
}
