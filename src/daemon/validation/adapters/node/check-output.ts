import type { LineFinding } from '../finding-lines.js';

/** `src/a.ts(3,7): error TS2322: Type …`, as tsc prints without `--pretty`. */
export const tscFinding: LineFinding = (line) => {
  const at = /^(\S.*?)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$/.exec(line);
  if (at !== null) {
    const [, file = '', row, column, severity, code = '', message = ''] = at;
    return { severity: severity as 'error' | 'warning', code, message, file, line: Number(row), column: Number(column) };
  }
  const [, code = '', message = ''] = /^error (TS\d+): (.*)$/.exec(line) ?? [];
  return code === '' ? null : { severity: 'error', code, message, file: null, line: null, column: null };
};

/** ESLint's own format: a file, and its findings below it. */
export function eslintFinding(): LineFinding {
  let file: string | null = null;
  return (line) => {
    if (line.startsWith('/')) file = line;
    const row = /^\s+(\d+):(\d+)\s+(error|warning)\s+(.*)$/.exec(line);
    if (row === null || file === null) return null;
    const [, at, column, severity, rest = ''] = row;
    const [, message = rest, code = null] = /^(.*?)\s{2,}(\S+)$/.exec(rest) ?? [];
    return { severity: severity as 'error' | 'warning', code, message, file, line: positive(at), column: positive(column) };
  };
}

/** Prettier with `--list-different`: a file a line, and what it could not parse. */
export const prettierFinding: LineFinding = (line) => {
  const broken = /^\[error\] (.+?): (\w*Error: .*?)(?: \((\d+):(\d+)\))?$/.exec(line);
  if (broken !== null) {
    const [, file = '', message = '', row, column] = broken;
    return { severity: 'error', code: null, message, file, line: positive(row), column: positive(column) };
  }
  if (line === '' || /^\[\w+\] /.test(line) || /^\s/.test(line)) return null;
  return { severity: 'error', code: null, message: 'not formatted', file: line, line: null, column: null };
};

/** A file as a whole is line 0 to ESLint. */
function positive(text: string | undefined): number | null {
  const number = Number(text ?? 0);
  return number > 0 ? number : null;
}
