import { createTwoFilesPatch } from 'diff';
import type { ConfigFile } from './config-file.js';

/** A member whose value is nobody's to see, in JSON or TOML. */
const SECRET = /((?:^|["'\s{,.+-])[\w-]*(?:token|secret|passw|api_?key|private|credential|authorization|bearer)[\w-]*["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*')/gi;

/** The changed lines alone: what stands around them is no business of a log that this may end in. */
export function configDiff(file: ConfigFile, after: string): string {
  if (file.text === after) return '';
  const patch = createTwoFilesPatch(file.bytes === null ? '/dev/null' : file.path, file.path, file.text, after, undefined, undefined, { context: 0 });
  const lines = patch.slice(patch.indexOf('--- ')).split('\n');
  const kept = lines.filter((line) => !line.startsWith('\\ No newline'));
  return kept.join('\n').trimEnd().replaceAll(SECRET, '$1"…"');
}
