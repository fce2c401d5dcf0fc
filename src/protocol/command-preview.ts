const MAX_CHARACTERS = 120;

const SECRET_NAME = '[A-Za-z0-9_.-]*(?:secret|token|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization)[A-Za-z0-9_.-]*';

/** Spans that look like secrets; the first group, where there is one, is kept. */
const SECRET_SPANS: readonly RegExp[] = [
  // name=value, --name=value, name: value
  new RegExp(`(${SECRET_NAME}["']?\\s*[=:]\\s*)(?:(?:bearer|basic)\\s+)?(?:"[^"]*"|'[^']*'|[^\\s"';&|]+)`, 'gi'),
  // --name value
  new RegExp(`(--?${SECRET_NAME}\\s+)(?:"[^"]*"|'[^']*'|[^\\s"';&|-][^\\s"';&|]*)`, 'gi'),
  /(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi,
  // user:password@host
  /([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)[^\s/@]+(?=@)/gi,
  /\b(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|ASIA|eyJ|AIza)[A-Za-z0-9._-]{10,}/g,
  /\b(?=[A-Za-z0-9_-]*[0-9])(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{32,}={0,2}/g,
];

/**
 * What a Job keeps of its command: the first line, at most 120 characters, with
 * whatever looks like a secret replaced by `[redacted]` (spec 03 §3).
 */
export function commandPreview(command: string): string {
  const [firstLine = ''] = command.trimStart().split(/\r\n|\r|\n/, 1);
  const redacted = SECRET_SPANS.reduce(
    (text, span) => text.replace(span, (_match: string, kept: unknown) => `${typeof kept === 'string' ? kept : ''}[redacted]`),
    firstLine,
  );
  const characters = [...redacted];
  return characters.length <= MAX_CHARACTERS ? redacted : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
