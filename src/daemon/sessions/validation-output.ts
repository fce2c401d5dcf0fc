import type { EvidenceFacts } from '../kernel/evidence-facts.js';
import { lastCharacters, redactText } from '../redaction/index.js';
import type { SessionEvent } from './event-row.js';
import { summarizeText } from './input-summary.js';
import { VALIDATION_TAIL_CHARACTERS } from './limits.js';

/** How much of a stream's end is searched for credentials, in UTF-16 units. */
const SEARCHED_UNITS = 8 * 1024;

/**
 * What is kept of a validation's output (spec 06 §1): 800 characters of each stream's
 * end. A line that holds a credential goes as a whole, and so does all that a key block
 * could reach back to; either sets `truncated`.
 */
export function validationOutputSummary(
  output: NonNullable<EvidenceFacts['validationOutput']>,
  executionState: NonNullable<EvidenceFacts['effect']>['executionState'],
): NonNullable<SessionEvent['validation_output_summary']> {
  const stdout = tail(output.stdoutTail);
  const stderr = tail(output.stderrTail);
  return {
    purpose: summarizeText(output.purpose),
    cwd: summarizeText(output.cwd),
    stdout_tail: stdout.text,
    stderr_tail: stderr.text,
    truncated: output.truncated || stdout.truncated || stderr.truncated,
    ...(executionState === undefined ? {} : { execution_state: executionState }),
    ...(output.evidence === undefined ? {} : { evidence: output.evidence }),
  };
}

function tail(stream: string): { readonly text: string; readonly truncated: boolean } {
  const searched = stream.slice(-SEARCHED_UNITS);
  const clean = withoutSecretLines(withoutHeadlessKey(searched));
  const text = lastCharacters(clean, VALIDATION_TAIL_CHARACTERS);
  return { text, truncated: text.length < stream.length };
}

/** The begin of a key block may have been cut off already: then nothing before its end stays. */
function withoutHeadlessKey(text: string): string {
  const end = /-----END [A-Z0-9 ]{1,60}-----/.exec(text);
  const begin = text.indexOf('-----BEGIN ');
  return end !== null && (begin === -1 || begin > end.index) ? text.slice(end.index + end[0].length) : text;
}

function withoutSecretLines(text: string): string {
  const whole = redactText(text);
  if (!whole.redacted) return text;
  // A credential may span lines (a key block), so the lines are judged after it was cut out.
  return whole.text
    .split('\n')
    .filter((line) => !line.includes('[redacted]'))
    .join('\n');
}
