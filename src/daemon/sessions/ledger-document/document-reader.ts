import { RejectedDocument } from './rejected-document.js';
import { isWhiteSpace, ValueText } from './value-text.js';

export const LEDGER_VERSION = 2;

const MEMBERS: ReadonlySet<string> = new Set(['version', 'sessions', 'durable_current_bindings']);

/** What the reader looks for next. */
type Place =
  | 'document'
  | 'first_name'
  | 'name'
  | 'colon'
  | 'value'
  | 'after_value'
  | 'sessions'
  | 'first_row'
  | 'row'
  | 'after_row'
  | 'end';

/** What stands around values: which characters are taken where, and what is looked for then. */
const PUNCTUATION: Readonly<Partial<Record<Place, Readonly<Record<string, Place>>>>> = {
  document: { '{': 'first_name' },
  first_name: { '}': 'end' },
  colon: { ':': 'value' },
  sessions: { '[': 'first_row' },
  first_row: { ']': 'after_value' },
  after_row: { ',': 'row', ']': 'after_value' },
  after_value: { ',': 'name', '}': 'end' },
};

/**
 * Reads the version-2 document as it comes and gives out its rows one by one, in bounded
 * memory: `{"version":2,"sessions":[…]}`, members in any order, and the residual
 * `durable_current_bindings`. Whoever takes rows publishes nothing of them before `end`
 * returned: only then it is known that the whole document is one (spec 01 §4).
 */
export class DocumentReader {
  private place: Place = 'document';
  private name = '';
  private readonly seen = new Set<string>();
  private value: ValueText | null = null;
  private bindings: unknown = undefined;

  /** @throws RejectedDocument */
  *push(text: string): Generator<unknown, void> {
    let index = 0;
    while (index < text.length) {
      if (this.value !== null) {
        const end = this.value.take(text, index);
        if (end === null) return;
        index = end;
        const value = this.value.parse();
        this.value = null;
        if (this.place === 'row') yield value;
        this.placeAfter(value);
        continue;
      }
      const code = text.charCodeAt(index);
      if (isWhiteSpace(code)) index += 1;
      else if (this.punctuation(text.charAt(index))) index += 1;
      else this.begin(code);
    }
  }

  /**
   * The text is over.
   *
   * @returns the value of `durable_current_bindings`, undefined when there is none
   * @throws RejectedDocument when it was not a whole document
   */
  end(): unknown {
    if (this.place !== 'end') throw new RejectedDocument('bad_json', 'the document ends before it is whole');
    for (const name of ['version', 'sessions']) {
      if (!this.seen.has(name)) throw new RejectedDocument('missing_member', `the document has no "${name}"`);
    }
    return this.bindings;
  }

  private punctuation(character: string): boolean {
    const next = PUNCTUATION[this.place]?.[character];
    if (next === undefined) return false;
    this.place = next;
    if (next === 'value' && this.name === 'sessions') this.place = 'sessions';
    return true;
  }

  /** A value begins here, or nothing may. */
  private begin(code: number): void {
    switch (this.place) {
      case 'first_name':
      case 'name':
        // A name is a string; anything else ends at once and is no JSON.
        if (code !== 0x22) break;
        this.place = 'name';
        this.value = new ValueText();
        return;
      case 'first_row':
      case 'row':
        this.place = 'row';
        this.value = new ValueText();
        return;
      case 'value':
        this.value = new ValueText();
        return;
      case 'sessions':
        throw new RejectedDocument('bad_json', '"sessions" is no array');
      case 'end':
        throw new RejectedDocument('trailing_bytes', 'something follows the document');
      default:
    }
    throw new RejectedDocument('bad_json', 'the document is no JSON object');
  }

  private placeAfter(value: unknown): void {
    if (this.place === 'row') this.place = 'after_row';
    else if (this.place === 'name') this.enter(String(value));
    else this.leave(value);
  }

  private enter(name: string): void {
    if (!MEMBERS.has(name)) throw new RejectedDocument('unknown_member', 'the document has a member that version 2 does not know');
    if (this.seen.has(name)) throw new RejectedDocument('duplicate_member', `the document has "${name}" twice`);
    this.seen.add(name);
    this.name = name;
    this.place = 'colon';
  }

  private leave(value: unknown): void {
    if (this.name === 'version' && value !== LEDGER_VERSION) {
      throw new RejectedDocument('unsupported_version', `the document's version is not ${LEDGER_VERSION}`);
    }
    if (this.name === 'durable_current_bindings') this.bindings = value;
    this.place = 'after_value';
  }
}

/**
 * The rows of a document out of its bytes.
 *
 * @returns what `DocumentReader.end` returns
 * @throws RejectedDocument
 */
export async function* readDocument(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, unknown> {
  const reader = new DocumentReader();
  // A byte order mark is no part of JSON: kept, it is refused like any other character.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const chunk of bytes) yield* reader.push(decode(decoder, chunk));
  yield* reader.push(decode(decoder, null));
  return reader.end();
}

function decode(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array | null): string {
  try {
    return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new RejectedDocument('not_utf8', 'the document is not UTF-8');
  }
}
