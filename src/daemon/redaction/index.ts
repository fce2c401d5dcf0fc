export { exceedsCharacters, firstCharacters, lastCharacters } from './characters.js';
export { REDACTED, isSecretKey } from './secret-keys.js';
export { redactAndBound, redactText, type BoundedText, type RedactedText } from './redact-text.js';
