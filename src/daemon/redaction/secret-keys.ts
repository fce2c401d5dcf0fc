/** What stands in the place of a secret. */
export const REDACTED = '[redacted]';

/** The words that make a name the name of a secret, as alternatives of a pattern. */
export const SECRET_WORDS = [
  'passwords?|passwd|passphrases?|pwd|secrets?|tokens?|credentials?|authorization|cookies?',
  '(?:api|access|private|ssh|signing|encryption|account)[_-]?keys?',
].join('|');

const SECRET_NAME = new RegExp(`(?:^|[_.-])(?:${SECRET_WORDS}|pem|id_rsa|id_ed25519)(?:$|[_.0-9-])`, 'i');
/** Names that are about tokens and hold none. */
const COUNT_NAME = /(?:^|_)(?:max|min|num|count|total|limit|budget)_|_(?:count|total|limit|budget)$/i;

/** Whether a member of that name holds a secret: its value is never stored, whatever it looks like. */
export function isSecretKey(name: string): boolean {
  // `clientSecret` and `client_secret` are one name.
  const split = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return SECRET_NAME.test(split) && !COUNT_NAME.test(split);
}
