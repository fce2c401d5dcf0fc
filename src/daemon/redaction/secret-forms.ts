import { REDACTED, SECRET_WORDS } from './secret-keys.js';

/**
 * One form that credentials are written in. `replace` cuts the credential out and keeps
 * what stands around it (spec 06 §8, spec 00 decision 49). Every pattern runs in linear
 * time: each repetition is bounded, or ends at a character that it cannot itself match.
 */
export interface SecretForm {
  readonly form: string;
  readonly pattern: RegExp;
  readonly replace: (match: string, ...groups: (string | undefined)[]) => string;
}

/** What may follow a secret's name in prose, types and settings without being a secret. */
const HARMLESS_VALUE = new RegExp(
  `^(?:${[
    'string|str|number|int|boolean|bool|bytes|buffer|any|unknown|void|object|null|nil|none|undefined|true|false',
    'required|optional|missing|invalid|expired|empty|unset|revoked|valid',
    'it|is|are|was|the|a|an|of|to|for|and|or|in|on|not|must|should|can|when|if',
    'bearer|basic|digest|negotiate',
    // Placeholders: what was redacted already, stars, <your token>, variables.
    '\\[redacted\\]|\\*+|<[^>]*>|\\$\\{?[A-Za-z_][A-Za-z0-9_]*\\}?|process\\.env\\.[A-Za-z0-9_]+|\\.{3}|…',
  ].join('|')})$`,
  'i',
);

/** What follows a scheme's name where it is only talked about. */
const SCHEME_PROSE = new RegExp(
  `^(?:${[
    'tokens?|auth|authentication|authorization|headers?|schemes?|credentials?|prefix|realm(?:=.*)?|types?',
    'usage|instead|support|login|as|with|from',
  ].join('|')})$`,
  'i',
);

/** Basic and Negotiate carry base64, which no plain word is: "basic arithmetic" stays. */
const PLAIN_WORD = /^[A-Za-z]?[a-z'-]*$/;

const TRAILING_PUNCTUATION = /[.,;:!?)]+$/;

function isHarmless(value: string): boolean {
  return HARMLESS_VALUE.test(value) || HARMLESS_VALUE.test(value.replace(TRAILING_PUNCTUATION, ''));
}

/** `PWD=/srv/x` is a folder, and folders stay. */
function isFolder(name: string, value: string): boolean {
  return /pwd/i.test(name) && /^[/~.]/.test(value);
}

/** Tokens that are known by their looks: their issuers mark them for exactly this. */
const ISSUED_TOKENS = [
  'gh[opusr]_[A-Za-z0-9]{16,255}',
  'github_pat_[A-Za-z0-9_]{16,255}',
  'glpat-[A-Za-z0-9_-]{16,255}',
  'sk-[A-Za-z0-9_-]{16,255}',
  '[srp]k_(?:live|test)_[A-Za-z0-9]{10,255}',
  'whsec_[A-Za-z0-9+/=]{16,255}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,255}',
  '(?:AKIA|ASIA|AGPA|AROA)[A-Z0-9]{16}',
  'AIza[A-Za-z0-9_-]{30,64}',
  'ya29\\.[A-Za-z0-9_-]{16,512}',
  'npm_[A-Za-z0-9]{20,64}',
  'pypi-[A-Za-z0-9_-]{16,512}',
  'hf_[A-Za-z0-9]{20,128}',
  'dop_v1_[a-f0-9]{32,128}',
  'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}',
  'AGE-SECRET-KEY-1[A-Z0-9]{20,128}',
  // Ours.
  'wc_(?:pat|agent|acct|oat|ort|csec|pair|boot)_[A-Za-z0-9_-]{6,255}',
  // A JSON Web Token.
  'eyJ[A-Za-z0-9_-]{8,2048}\\.eyJ[A-Za-z0-9_-]{8,4096}\\.[A-Za-z0-9_-]{0,1024}',
];

const NAME = `(?:[A-Za-z0-9_.-]{0,64}[_.-])?(?:${SECRET_WORDS})(?:[_-][A-Za-z0-9]{1,32}|[0-9]{1,4})?`;
const ASSIGN = `\\\\?["'\`]?[ \\t]{0,8}(?::=|=>|[:=])[ \\t]{0,8}`;
/** A quoted text: quotes escaped inside JSON, then the plain kinds, then one that never ends. */
const QUOTED = [
  '\\\\"[^"\\\\]*\\\\"',
  '"(?:[^"\\\\]|\\\\[\\s\\S])*"',
  "'(?:[^'\\\\]|\\\\[\\s\\S])*'",
  '`(?:[^`\\\\]|\\\\[\\s\\S])*`',
  '\\\\?["\'`][\\s\\S]*$',
].join('|');

export const SECRET_FORMS: readonly SecretForm[] = [
  {
    form: 'a PEM block, or everything after the begin of one that does not end',
    pattern: /-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)/g,
    replace: () => REDACTED,
  },
  {
    form: 'scheme and credential: Bearer abc, Basic dXNlcjpwYXNz',
    pattern: /\b(Bearer|Basic|Negotiate)((?:[ \t]|%20|\+){1,8})(["']?)([^\s"'`,;<>]+)/gi,
    replace: (match, scheme = '', gap = '', quote = '', value = '') => {
      const word = value.replace(TRAILING_PUNCTUATION, '');
      const prose = SCHEME_PROSE.test(word) || isHarmless(word) || (!/^bearer$/i.test(scheme) && PLAIN_WORD.test(word));
      return prose ? match : `${scheme}${gap}${quote}${REDACTED}`;
    },
  },
  {
    form: 'a header whose value is a secret to the end of its line: Authorization: token abc, Cookie: a=b; c=d',
    pattern: new RegExp(
      [
        '\\b(authorization|(?:set-)?cookie)',
        // The schemes above are redacted by their own form, which keeps their name.
        '(\\\\?["\']?[ \\t]{0,8}[:=](?![ \\t"\'\\\\]*(?:Bearer|Basic|Negotiate|\\[redacted\\]))[ \\t]{0,8}\\\\?["\']?)',
        // A value of blanks alone is none.
        '(?=[ \\t]*(?:[^ \\t\\r\\n"\'\\\\]|\\\\(?!["\'])))',
        '((?:[^\\r\\n"\'\\\\]|\\\\(?!["\']))+)',
      ].join(''),
      'gi',
    ),
    replace: (_match, header = '', gap = '') => `${header}${gap}${REDACTED}`,
  },
  {
    form: 'the password of a URL: https://user:pass@host',
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@'"`]{0,200}):([^\s/@'"`]{1,400})@/gi,
    replace: (_match, before = '') => `${before}:${REDACTED}@`,
  },
  {
    form: 'a token as the user of a URL: https://TOKEN@host',
    pattern: /\b(https?:\/\/)[A-Za-z0-9_-]{20,400}@/gi,
    replace: (_match, before = '') => `${before}${REDACTED}@`,
  },
  {
    form: 'user and password of a client: -u user:pass',
    pattern: /((?<=^|[\s"'])(?:-u|--user|--proxy-user)[ =]["']?)([^\s:'"]{1,100}):([^\s'"]{1,400})/g,
    replace: (_match, flag = '', user = '') => `${flag}${user}:${REDACTED}`,
  },
  {
    form: 'tokens that their issuers mark with a prefix',
    pattern: new RegExp(`\\b(?:${ISSUED_TOKENS.join('|')})`, 'g'),
    replace: () => REDACTED,
  },
  {
    form: 'a quoted value after the name of a secret: "api_key": "abc", password=\'a b\'',
    pattern: new RegExp(`(${NAME}${ASSIGN})(${QUOTED})`, 'gi'),
    replace: (match, before = '', quoted = '') => {
      const quote = /^\\?["'`]/.exec(quoted)?.[0] ?? '';
      const ended = quoted.length >= 2 * quote.length && quoted.endsWith(quote);
      const value = quoted.slice(quote.length, ended ? -quote.length : undefined);
      if (value === '' || isHarmless(value) || isFolder(before, value)) return match;
      return `${before}${quote}${REDACTED}${ended ? quote : ''}`;
    },
  },
  {
    form: 'a bare value after the name of a secret: token=abc, password: abc',
    pattern: new RegExp(`(${NAME}${ASSIGN})(?!\\\\["'\`])([^\\s"'\`,;&]+)`, 'gi'),
    replace: (match, before = '', value = '') =>
      isHarmless(value) || isFolder(before, value) || value.startsWith(REDACTED) ? match : `${before}${REDACTED}`,
  },
  {
    form: 'a flag that takes a secret: --token abc, or ["--token", "abc"]',
    pattern: new RegExp(
      [
        `((?<=^|[\\s"'])--?(?:[A-Za-z0-9-]{0,40}-)?(?:${SECRET_WORDS})`,
        `(?:[ \\t]{1,8}|\\\\?["'],[ \\t]{0,8}(?=\\\\?["'])))(?!-)`,
        `(\\\\"[^"\\\\]*\\\\"|"[^"]*"|'[^']*'|[^\\s"']+)`,
      ].join(''),
      'gi',
    ),
    replace: (match, before = '', value = '') => {
      if (isHarmless(value)) return match;
      const quote = /^\\?["']/.exec(value)?.[0] ?? '';
      return `${before}${quote}${REDACTED}${quote}`;
    },
  },
];
