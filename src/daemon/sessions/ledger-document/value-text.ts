import { RejectedDocument } from './rejected-document.js';

/** The longest value that is assembled, in UTF-16 units: far above any row that limits allow. */
const MAX_VALUE_UNITS = 64 * 1024 * 1024;
/** Members and items of one value: twice what a full tail with every path could have; each costs memory far beyond its text. */
const MAX_PARTS = 1_000_000;
/** Containers within one another; a row of ours has seven. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Whether a character is JSON's white space. */
export function isWhiteSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Assembles the text of one JSON value out of pieces, and parses it when it is whole. Only
 * its extent is found here, by strings and brackets; `JSON.parse` judges the rest. What
 * that would not notice, two members of one name, shows in their number: an object that
 * came out has fewer members than colons stood in its text.
 */
export class ValueText {
  private readonly pieces: string[] = [];
  private units = 0;
  private depth = 0;
  private colons = 0;
  private parts = 0;
  private inString = false;
  private escaped = false;
  private begun = false;

  /**
   * Takes what belongs to the value from `from` on.
   *
   * @returns the position after the value, or null when it goes on in the next piece
   * @throws RejectedDocument when it is too deep or too large, in text or in parts
   */
  take(text: string, from: number): number | null {
    const end = this.findEnd(text, from);
    const piece = text.slice(from, end ?? text.length);
    this.units += piece.length;
    if (this.units > MAX_VALUE_UNITS) {
      throw new RejectedDocument('too_large', `a value is larger than ${MAX_VALUE_UNITS / 1024 / 1024} MiB`);
    }
    if (piece !== '') this.pieces.push(piece);
    return end;
  }

  /** @throws RejectedDocument when it is no JSON, or has two members of one name */
  parse(): unknown {
    let value: unknown;
    try {
      value = JSON.parse(this.pieces.length === 1 ? (this.pieces[0] ?? '') : this.pieces.join(''));
    } catch {
      // The engine's own message quotes the text.
      throw new RejectedDocument('bad_json', 'a value is no JSON');
    }
    if (this.colons > 0 && countMembers(value) !== this.colons) {
      throw new RejectedDocument('duplicate_member', 'an object has two members of one name');
    }
    return value;
  }

  private findEnd(text: string, from: number): number | null {
    let index = from;
    while (index < text.length) {
      if (this.inString) {
        const end = this.endOfString(text, index);
        if (end === null) return null;
        this.inString = false;
        if (this.depth === 0) return end;
        index = end;
        continue;
      }
      const code = text.charCodeAt(index);
      if (this.endsScalar(code)) return index;
      this.begun = true;
      index += 1;
      switch (code) {
        case QUOTE:
          this.inString = true;
          break;
        case COLON:
          this.colons += 1;
          break;
        case COMMA:
          this.countPart();
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          this.countPart();
          this.depth += 1;
          if (this.depth > MAX_DEPTH) throw new RejectedDocument('too_deep', `values are nested deeper than ${MAX_DEPTH}`);
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          this.depth -= 1;
          if (this.depth === 0) return index;
          break;
      }
    }
    return null;
  }

  /** A container that is not empty has one part more than commas; that one is counted with its bracket. */
  private countPart(): void {
    this.parts += 1;
    if (this.parts > MAX_PARTS) throw new RejectedDocument('too_large', `a value has more than ${MAX_PARTS} parts`);
  }

  /** Outside of containers a number or a word ends before what cannot belong to it. */
  private endsScalar(code: number): boolean {
    if (this.depth > 0) return false;
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT) return true;
    return this.begun && (isWhiteSpace(code) || code === QUOTE || code === COLON || code === OPEN_ARRAY || code === OPEN_OBJECT);
  }

  private endOfString(text: string, from: number): number | null {
    for (let index = from; index < text.length; index += 1) {
      if (this.escaped) {
        this.escaped = false;
        continue;
      }
      const code = text.charCodeAt(index);
      if (code === BACKSLASH) this.escaped = true;
      else if (code === QUOTE) return index + 1;
    }
    return null;
  }
}

/** All members of all objects in a value; its depth is bounded by whoever assembled it. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    let members = 0;
    for (const item of value) members += countMembers(item);
    return members;
  }
  let members = 0;
  for (const name in value) members += 1 + countMembers((value as Record<string, unknown>)[name]);
  return members;
}
