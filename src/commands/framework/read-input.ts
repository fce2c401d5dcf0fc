import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { MAX_REQUEST_BYTES } from '../../protocol/api.js';
import { UsageError } from './usage-error.js';

/**
 * The value of `--input`: a JSON object as it stands, out of `@file`, or out of standard
 * input for `-`.
 *
 * @throws UsageError when there is no such file or it holds no JSON object
 */
export function readInput(value: string): Record<string, unknown> {
  const parsed = parseJson(readText(value), value === '-' ? 'standard input' : value.startsWith('@') ? value.slice(1) : '--input');
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UsageError('--input is the object of all arguments, and this is another kind of JSON value.');
  }
  return parsed as Record<string, unknown>;
}

/**
 * The value of a flag that takes any JSON: as it stands, or out of `@file`.
 *
 * @throws UsageError when it is no JSON
 */
export function readJsonFlag(flag: string, value: string): unknown {
  return parseJson(value.startsWith('@') ? readFileText(value.slice(1)) : value, `--${flag}`);
}

/**
 * The text of a file, or of standard input for `-`.
 *
 * @throws UsageError when there is none, it is no UTF-8, or it is larger than a request may be
 */
export function readFileOrInput(file: string): string {
  return file === '-' ? readDescriptor(0, 'standard input') : readFileText(file);
}

function readText(value: string): string {
  if (value === '-') return readDescriptor(0, 'standard input');
  return value.startsWith('@') ? readFileText(value.slice(1)) : value;
}

function readFileText(path: string): string {
  return readDescriptor(path, path);
}

function readDescriptor(source: string | 0, name: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(source);
  } catch (error) {
    throw new UsageError(`${name} can not be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`);
  }
  if (bytes.length > MAX_REQUEST_BYTES) {
    throw new UsageError(`${name} is larger than a request may be (${MAX_REQUEST_BYTES / 1024 / 1024} MiB).`);
  }
  if (!isUtf8(bytes)) throw new UsageError(`${name} is no text of UTF-8.`);
  return bytes.toString('utf8');
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name} is no JSON: ${(error as Error).message}`);
  }
}
