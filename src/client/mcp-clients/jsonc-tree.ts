import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { ConfigRefused } from './config-refused.js';

/** A property of an object in the text, with the node of its value. */
export interface Property {
  /** The node of the whole property. */
  readonly node: Node;
  readonly key: string;
  readonly value: Node;
}

/** What stands in the text between two places, white space left out. */
export interface Piece {
  readonly kind: 'comma' | 'comment' | 'other';
  readonly start: number;
  readonly end: number;
}

/**
 * The root of a text in JSON with comments and trailing commas; undefined where it holds no value.
 *
 * @throws ConfigRefused with the place of the first mistake
 */
export function parseJsonc(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first === undefined) return root;
  const before = text.slice(0, first.offset).split('\n');
  throw new ConfigRefused(
    `It is no valid JSON: ${wordsOf(first)} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}.`,
    'Mend it, or restore a version that its client can read.',
  );
}

/** The properties of an object's node, in order. */
export function propertiesOf(object: Node): readonly Property[] {
  return (object.children ?? []).flatMap((node) => {
    const [key, value] = node.children ?? [];
    return key === undefined || value === undefined ? [] : [{ node, key: String(key.value), value }];
  });
}

/**
 * The property of that name, or undefined.
 *
 * @throws ConfigRefused where there are several, since readers differ in which one counts
 */
export function propertyOf(object: Node, key: string): Property | undefined {
  const found = propertiesOf(object).filter((property) => property.key === key);
  if (found.length > 1) throw new ConfigRefused(`It has "${key}" twice in one object.`, 'Leave one of them.');
  return found[0];
}

/** The end of a node, as an offset. */
export function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Commas and comments between two offsets that lie outside of strings. */
export function piecesBetween(text: string, from: number, to: number): readonly Piece[] {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  const pieces: Piece[] = [];
  for (scanner.scan(); scanner.getTokenLength() > 0 && scanner.getTokenOffset() < to; scanner.scan()) {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    const token = text.slice(start, end);
    if (token.trim() !== '') pieces.push({ kind: token === ',' ? 'comma' : token.startsWith('/') ? 'comment' : 'other', start, end });
  }
  return pieces;
}

/** `CommaExpected` as words. */
function wordsOf({ error }: ParseError): string {
  return printParseErrorCode(error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
