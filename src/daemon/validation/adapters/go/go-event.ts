/** One line of `go test -json`, as far as it is needed. */
export interface GoEvent {
  readonly action: string;
  readonly package: string;
  readonly test: string | null;
  readonly output: string;
}

/** Reads a line of the event stream; null for a line that is no event. */
export function readGoEvent(line: string): GoEvent | null {
  if (!line.startsWith('{')) return null;
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof said !== 'object' || said === null) return null;
  const { Action: action, Package: name, ImportPath: importPath, Test: test, Output: output } = said as Record<string, unknown>;
  if (typeof action !== 'string') return null;
  return {
    action,
    package: text(name) ?? text(importPath) ?? '',
    test: text(test),
    output: text(output) ?? '',
  };
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
