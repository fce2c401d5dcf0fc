import type { LineIndex } from './line-index.js';

/** Where the nearest candidate departs from the text that was looked for (spec 00, decision 35). */
export interface NearMiss {
  /** Of the first character that differs, in the file; columns count Unicode scalars from 1. */
  readonly line: number;
  readonly column: number;
  /** What was looked for from there on, and what stands there, as escapes. */
  readonly expected: string;
  readonly found: string;
}

const MAX_SHOWN_CHARACTERS = 64;
/** How many characters of either side are shown. */
const SHOWN_SCALARS = 12;
/** A candidate that shares less than this is none. */
const MIN_SHARED_CHARACTERS = 6;
/** Larger texts are not looked through for a candidate. */
const MAX_BODY_CHARACTERS = 4 * 1024 * 1024;

/**
 * Finds the place that shares the longest beginning with `needle` when every run of
 * white space counts as one blank, and says where it departs from it exactly.
 */
export function nearMiss(body: string, needle: string, lines: LineIndex): NearMiss | null {
  if (body.length > MAX_BODY_CHARACTERS) return null;
  const haystack = foldSpace(body);
  const wanted = foldSpace(needle).text.trim();
  const shared = longestSharedBeginning(haystack.text, wanted);
  if (shared.length < Math.min(MIN_SHARED_CHARACTERS, wanted.length) || shared.length === 0) return null;
  const candidate = haystack.offsets[shared.at] ?? 0;
  return departure(body, needle, candidate, lines);
}

function departure(body: string, needle: string, candidate: number, lines: LineIndex): NearMiss | null {
  // What was looked for may begin with blanks: on the same line, the candidate begins with its own.
  const lead = /^\s*/u.exec(needle)?.[0] ?? '';
  const needleIndent = lead.slice(lead.lastIndexOf('\n') + 1);
  const lineStart = lines.startOf(lines.lineAt(candidate));
  const bodyIndent = needleIndent === '' ? '' : (/[^\S\n]*$/u.exec(body.slice(lineStart, candidate))?.[0] ?? '');
  const wanted = needle.slice(lead.length - needleIndent.length);
  const start = candidate - bodyIndent.length;

  let same = 0;
  while (same < wanted.length && start + same < body.length && wanted[same] === body[start + same]) same += 1;
  if (same === wanted.length) return null;
  // Never between the halves of a surrogate pair.
  if (same > 0 && /[\ud800-\udbff]/.test(wanted[same - 1] ?? '')) same -= 1;
  const at = start + same;
  const line = lines.lineAt(at);
  return {
    line,
    column: [...body.slice(lines.startOf(line), at)].length + 1,
    expected: escapeScalars(wanted.slice(same)),
    found: escapeScalars(body.slice(at)),
  };
}

interface FoldedText {
  readonly text: string;
  /** For each character of `text`, where it stands in the original. */
  readonly offsets: Int32Array;
}

function foldSpace(original: string): FoldedText {
  const offsets = new Int32Array(original.length);
  const parts: string[] = [];
  let length = 0;
  for (const run of original.matchAll(/\s+|\S+/gu)) {
    const isSpace = /^\s/u.test(run[0]);
    const text = isSpace ? ' ' : run[0];
    for (let index = 0; index < text.length; index += 1) offsets[length + index] = run.index + index;
    parts.push(text);
    length += text.length;
  }
  return { text: parts.join(''), offsets: offsets.subarray(0, length) };
}

/** The longest beginning of `needle` that occurs in `text`, and where it does first. */
function longestSharedBeginning(text: string, needle: string): { readonly length: number; readonly at: number } {
  let best = { length: 0, at: -1 };
  let [low, high] = [1, needle.length];
  while (low <= high) {
    const middle = (low + high) >> 1;
    // A longer beginning stands no further left than a shorter one.
    const at = text.indexOf(needle.slice(0, middle), Math.max(0, best.at));
    if (at === -1) high = middle - 1;
    else {
      best = { length: middle, at };
      low = middle + 1;
    }
  }
  return best;
}

/** The first characters of a text, printable ASCII as it is and everything else as an escape. */
export function escapeScalars(text: string): string {
  let shown = '';
  let count = 0;
  for (const scalar of text.slice(0, 2 * SHOWN_SCALARS)) {
    const escaped = escapeScalar(scalar);
    if (count === SHOWN_SCALARS || shown.length + escaped.length > MAX_SHOWN_CHARACTERS) break;
    shown += escaped;
    count += 1;
  }
  return shown;
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\\': '\\\\' };

function escapeScalar(scalar: string): string {
  const named = NAMED[scalar];
  if (named !== undefined) return named;
  const code = scalar.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return scalar;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
