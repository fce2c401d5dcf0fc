import { firstCharacters, isSecretKey, REDACTED, redactText } from '../redaction/index.js';
import { isJsonMap } from './json-value.js';

/** Key parts that name a secret, whatever stands around them (spec 05 §5, rule 1). */
const SECRET_KEY_PART =
  /token|api_key|apikey|authorization|secret|password|ssh_key|private_key|pem|id_rsa|id_ed25519/i;
/** Members that hold content (rule 2). */
const CONTENT_KEYS: ReadonlySet<string> = new Set([
  'stdout',
  'stderr',
  'stdout_tail',
  'stderr_tail',
  'diff',
  'openapi_json',
  'text',
  'base64_content',
]);
/** Members that hold a command (rule 3). */
const COMMAND_KEYS: ReadonlySet<string> = new Set(['command_text', 'script_text']);
/** Texts that hold a secret somewhere (rule 4). */
const SECRET_TEXT =
  /-----begin|bearer |api_key|token=|id_rsa|id_ed25519|wc_pat_|wc_agent_|wc_acct_|wc_oat_|wc_ort_|wc_csec_|wc_pair_|wc_boot_/i;
/** A label of ours, which needs no search for the forms that credentials are written in. */
const PLAIN_LABEL = /^[a-z_]{0,64}$/;

const MAX_TEXT_CHARACTERS = 500;
/** Our own documents are four deep; what is deeper than this came from somewhere else. */
const MAX_DEPTH = 16;

type Pass = 'write' | 'read';

/** Before a document is stored: secrets replaced, content left out, texts cut. */
export function redactForStore(value: unknown): unknown {
  return redactValue(value, 'write', 0);
}

/** Before a stored document is shown: the same again for rows of any age, and secret members vanish. */
export function redactForView(value: unknown): unknown {
  return redactValue(value, 'read', 0);
}

/** A text as it may be stored: trimmed, without credentials, at most `characters` code points. */
export function storableText(text: string, characters = MAX_TEXT_CHARACTERS): string {
  if (SECRET_TEXT.test(text)) return REDACTED;
  if (PLAIN_LABEL.test(text)) return firstCharacters(text, characters);
  return firstCharacters(redactText(text.trim()).text, characters);
}

function redactValue(value: unknown, pass: Pass, depth: number): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, pass, depth + 1));
  return redactMembers(value as Record<string, unknown>, pass, depth + 1);
}

function redactMembers(members: Record<string, unknown>, pass: Pass, depth: number): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(members)) {
    const value = members[key];
    if (CONTENT_KEYS.has(key)) continue;
    if (namesSecret(key)) {
      if (pass === 'write') kept[key] = REDACTED;
    } else if (COMMAND_KEYS.has(key) && typeof value === 'string') {
      kept[key] = commandShape(key, value);
    } else {
      kept[key] = redactValue(value, pass, depth);
    }
  }
  return kept;
}

/** What is kept of a command: its size, no part of it and no digest. */
function commandShape(kind: string, text: string): Record<string, unknown> {
  return { command_kind: kind, line_count: text.split('\n').length, char_count: Array.from(text).length };
}

/** Keys come from our own closed documents, so that their verdicts are worth keeping. */
const verdicts = new Map<string, boolean>();
const MAX_VERDICTS = 2048;

function namesSecret(key: string): boolean {
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const verdict = SECRET_KEY_PART.test(key) || isSecretKey(key);
  if (verdicts.size < MAX_VERDICTS) verdicts.set(key, verdict);
  return verdict;
}

/** The members of a stored document; null when it is broken or no object. */
export function parseStoredObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonMap(value) ? value : null;
  } catch {
    return null;
  }
}
