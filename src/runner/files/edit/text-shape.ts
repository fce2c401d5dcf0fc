/** What a text file keeps through an edit: its byte order mark and its line endings. */
export interface TextShape {
  readonly hasBom: boolean;
  readonly newline: '\n' | '\r\n';
  /** The text without the mark and with LF alone: what edits are matched on. */
  readonly body: string;
}

const BOM = '\ufeff';

/** The shape of a file's text; null when it mixes LF and CRLF, or has a bare CR (spec 04 §7.6). */
export function readShape(text: string): TextShape | null {
  const hasBom = text.startsWith(BOM);
  const body = hasBom ? text.slice(1) : text;
  if (!body.includes('\r')) return { hasBom, newline: '\n', body };
  if (/\r(?!\n)|(?<!\r)\n/.test(body)) return null;
  return { hasBom, newline: '\r\n', body: body.replaceAll('\r\n', '\n') };
}

/** The file's text with `body` in the place of what it held. */
export function restoreShape(shape: TextShape, body: string): string {
  return (shape.hasBom ? BOM : '') + (shape.newline === '\n' ? body : body.replaceAll('\n', '\r\n'));
}

/** The text of an edit with LF alone; null when a bare CR is left. */
export function normalizeEditText(text: string): string | null {
  const normalized = text.replaceAll('\r\n', '\n');
  return normalized.includes('\r') ? null : normalized;
}

/** Takes off a mark that was copied from the start of the file. */
export function withoutBom(text: string): { readonly text: string; readonly hadBom: boolean } {
  return text.startsWith(BOM) ? { text: text.slice(1), hadBom: true } : { text, hadBom: false };
}
