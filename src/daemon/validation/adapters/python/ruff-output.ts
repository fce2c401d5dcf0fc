import type { LineFinding } from '../finding-lines.js';

/** `src/a.py:3:1: F401 [*] 'os' imported but unused`, Ruff's concise format. */
export const ruffCheckFinding: LineFinding = (line) => {
  const found = /^(\S.*?):(\d+):(\d+): (?:([A-Z]+\d+|[a-z]+(?:-[a-z]+)+):? )?(?:\[\*\] )?(.*)$/.exec(line);
  if (found === null) return null;
  const [, file = '', row, column, code = null, message = ''] = found;
  return { severity: 'error', code, message, file, line: Number(row), column: Number(column) };
};

/** `Would reformat: src/a.py`, and what could not be parsed. */
export const ruffFormatFinding: LineFinding = (line) => {
  const [, file] = /^Would reformat: (.+)$/.exec(line) ?? [];
  if (file !== undefined) return { severity: 'error', code: null, message: 'not formatted', file, line: null, column: null };
  const broken = /^error: Failed to parse (.+?):(\d+):(\d+): (.*)$/.exec(line);
  if (broken === null) return null;
  const [, path = '', row, column, message = ''] = broken;
  return { severity: 'error', code: null, message, file: path, line: Number(row), column: Number(column) };
};
