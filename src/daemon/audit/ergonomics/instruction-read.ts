import { isJsonMap, type JsonMap } from '../json-value.js';

/** Whether instruction files were among the paths of a read, by their exact base names; no path is kept. */
export function instructionRead(given: JsonMap): { readonly agents_md: boolean; readonly claude_md: boolean } {
  const names = new Set(requestedPaths(given).map(baseName));
  return { agents_md: names.has('AGENTS.md'), claude_md: names.has('CLAUDE.md') };
}

function requestedPaths(given: JsonMap): readonly string[] {
  const items: readonly unknown[] = Array.isArray(given['items']) ? given['items'] : [];
  return items.map((item) => (isJsonMap(item) ? item['path'] : null)).filter((path) => typeof path === 'string');
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
}
