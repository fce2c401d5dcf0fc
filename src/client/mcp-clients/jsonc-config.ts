import { isDeepStrictEqual } from 'node:util';
import { getNodeValue, type Node } from 'jsonc-parser';
import type { ConfigFormat } from './config-format.js';
import { ConfigRefused } from './config-refused.js';
import { endOf, parseJsonc, piecesBetween, propertiesOf, propertyOf, type Property } from './jsonc-tree.js';
import { isRecord } from './json-values.js';

/**
 * JSON with comments and trailing commas, changed in its text: whatever is not said to
 * change stays as it is, byte by byte.
 */
export const jsoncConfig: ConfigFormat = {
  read: (text) => {
    const root = parseJsonc(text);
    return root === undefined ? {} : (getNodeValue(objectOf(root, [])) as Record<string, unknown>);
  },

  set: setValue,

  remove: (text, path) => {
    const root = parseJsonc(text);
    if (root === undefined) return text;
    let object = objectOf(root, []);
    for (const [depth, key] of path.entries()) {
      const property = propertyOf(object, key);
      if (property === undefined) return text;
      if (depth === path.length - 1) return cutProperty(text, object, property);
      object = objectOf(property.value, path.slice(0, depth + 1));
    }
    return text;
  },
};

/** Sets one value; an object's members are set one by one, so that others in it stay. */
function setValue(text: string, path: readonly string[], value: unknown): string {
  const root = parseJsonc(text);
  if (root === undefined) return setValue(withRoot(text), path, value);
  let object = objectOf(root, []);
  for (const [depth, key] of path.entries()) {
    const isLast = depth === path.length - 1;
    const property = propertyOf(object, key);
    if (property === undefined) return addProperty(text, object, key, nested(path.slice(depth + 1), value));
    if (!isLast) object = objectOf(property.value, path.slice(0, depth + 1));
    else if (isRecord(value) && property.value.type === 'object') {
      return Object.entries(value).reduce((changed, [name, member]) => setValue(changed, [...path, name], member), text);
    } else if (!isDeepStrictEqual(getNodeValue(property.value), value)) {
      return splice(text, property.value.offset, endOf(property.value), write(text, value, lineIndent(text, property.node.offset), isOnOneLine(text, object)));
    }
  }
  return text;
}

/** A document that holds nothing but comments keeps them. */
function withRoot(text: string): string {
  const comments = text.trimEnd();
  const end = lineEnd(text);
  return comments === '' ? `{}${end}` : `${comments}${end}{}${end}`;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

function objectOf(node: Node, path: readonly string[]): Node {
  if (node.type === 'object') return node;
  const what = path.length === 0 ? 'Its value' : `"${path.join('.')}"`;
  throw new ConfigRefused(`${what} is no object.`, 'Make it one, as its client expects.');
}

/** Adds a property behind the last one and all comments, written as its neighbours are. */
function addProperty(text: string, object: Node, key: string, value: unknown): string {
  const brace = endOf(object) - 1;
  const last = propertiesOf(object).at(-1);
  const behind = piecesBetween(text, last === undefined ? object.offset + 1 : endOf(last.node), brace);
  const hasComma = behind.some(({ kind }) => kind === 'comma');
  const at = behind.at(-1)?.end ?? (last === undefined ? object.offset + 1 : endOf(last.node));
  const comma = last !== undefined && !hasComma ? splice(text, endOf(last.node), endOf(last.node), ',') : text;
  const shift = comma.length - text.length;
  if (isOnOneLine(text, object)) {
    return splice(comma, at + shift, at + shift, `${last === undefined ? '' : ' '}${JSON.stringify(key)}: ${write(text, value, '', true)}${hasComma ? ',' : ''}`);
  }
  const outer = lineIndent(text, object.offset);
  const indent = last !== undefined && startsItsLine(text, last.node.offset) ? lineIndent(text, last.node.offset) : outer + indentUnit(text);
  const added = `${lineEnd(text)}${indent}${JSON.stringify(key)}: ${write(text, value, indent, false)}${hasComma ? ',' : ''}`;
  // Where the brace stood behind the last thing on its line, it gets a line of its own.
  const bracesLine = text.slice(at, brace).includes('\n');
  return splice(comma, at + shift, (bracesLine ? at : brace) + shift, bracesLine ? added : `${added}${lineEnd(text)}${outer}`);
}

/** Takes a property out with its comma, and with its lines where nothing else is on them. */
function cutProperty(text: string, object: Node, { node }: Property): string {
  const properties = propertiesOf(object);
  const at = properties.findIndex((property) => property.node === node);
  const next = properties[at + 1];
  const after = piecesBetween(text, endOf(node), next?.node.offset ?? endOf(object) - 1).find(({ kind }) => kind === 'comma');
  const before = properties[at - 1];
  const comma =
    after ?? (before === undefined ? undefined : piecesBetween(text, endOf(before.node), node.offset).find(({ kind }) => kind === 'comma'));
  const cuts = [{ start: node.offset, end: endOf(node) }, ...(comma === undefined ? [] : [comma])];
  // From the end, so that offsets in front of a cut hold.
  return cuts.toSorted((a, b) => b.start - a.start).reduce((left, { start, end }) => cutTidily(left, start, end), text);
}

function cutTidily(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const newline = text.indexOf('\n', end);
  const isAlone = text.slice(lineStart, start).trim() === '' && newline !== -1 && text.slice(end, newline).trim() === '';
  if (isAlone && lineStart > 0) return splice(text, lineStart, newline + 1, '');
  // On a line with others: the space in front goes with it, or the one behind where it was the first.
  const space = /[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const isFirst = text[start - space - 1] === '{';
  const behind = isFirst ? (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0) : 0;
  const isLine = text.slice(lineStart, start).trim() === '';
  return splice(text, isFirst || isLine ? start : start - space, end + behind, '');
}

function write(text: string, value: unknown, indent: string, onOneLine: boolean): string {
  if (onOneLine) return JSON.stringify(value);
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', `${lineEnd(text)}${indent}`);
}

/** Whether an object is written on one line, as in a document without line breaks. */
function isOnOneLine(text: string, object: Node): boolean {
  const isEmpty = propertiesOf(object).length === 0;
  return !(isEmpty ? text.trimEnd() : text.slice(object.offset, endOf(object))).includes('\n') && text.trim() !== '{}';
}

function startsItsLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset).trim() === '';
}

function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0] ?? '';
}

/** What one level is indented by: as the first indented property is, else two spaces. */
function indentUnit(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
