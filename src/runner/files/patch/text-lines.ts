/** The lines of an LF text, and whether the last one ends with a newline. */
export interface TextLines {
  readonly lines: readonly string[];
  /** True for a text without a line, so that lines that are put in end as lines do. */
  readonly endsWithNewline: boolean;
}

export function splitLines(body: string): TextLines {
  const lines = body.split('\n');
  const endsWithNewline = lines.at(-1) === '';
  return { lines: endsWithNewline ? lines.slice(0, -1) : lines, endsWithNewline };
}

export function joinLines({ lines, endsWithNewline }: TextLines): string {
  return lines.length === 0 ? '' : lines.join('\n') + (endsWithNewline ? '\n' : '');
}
