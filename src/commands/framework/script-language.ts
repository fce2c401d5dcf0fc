import { extname } from 'node:path';
import type { ScriptLanguage } from '../../protocol/execution-state.js';

const BY_EXTENSION: Readonly<Record<string, ScriptLanguage>> = {
  '.sh': 'sh',
  '.bash': 'bash',
  '.py': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.ts': 'typescript',
  '.mts': 'typescript',
};

/** Interpreters as a first line names them, without a version at their end. */
const BY_INTERPRETER: Readonly<Record<string, ScriptLanguage>> = {
  sh: 'sh',
  dash: 'sh',
  bash: 'bash',
  python: 'python',
  node: 'javascript',
  nodejs: 'javascript',
};

/**
 * The language of a script, by its file's extension, else by its first line; null when
 * neither says. An `.sh` whose first line names another shell is for that one.
 *
 * @param file its name; `-` for one that has none
 */
export function scriptLanguage(file: string, text: string): ScriptLanguage | null {
  const byName = BY_EXTENSION[extname(file).toLowerCase()] ?? null;
  if (byName !== null && byName !== 'sh') return byName;
  return byFirstLine(text) ?? byName;
}

/** What a `#!` line runs: the program, or what `env` is to look up. */
function byFirstLine(text: string): ScriptLanguage | null {
  const words = /^#![ \t]*(.*)/.exec(text)?.[1]?.trim().split(/[ \t]+/) ?? [];
  const isEnv = baseName(words[0]) === 'env';
  const program = isEnv ? words.slice(1).find((word) => !word.startsWith('-') && !word.includes('=')) : words[0];
  const name = baseName(program).replace(/[\d.]+$/, '');
  return Object.hasOwn(BY_INTERPRETER, name) ? (BY_INTERPRETER[name] ?? null) : null;
}

function baseName(path = ''): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
