import type { z } from 'zod';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const SIZED: Readonly<Record<string, string>> = { string: 'character', array: 'item', object: 'member', record: 'member' };
/** Longer lists of choices stand in the tool's manifest. */
const MAX_CHOICES = 32;

/**
 * What is wrong with one value, for the person or model that gave it: zod's `error`
 * parameter. It says what is expected and echoes nothing of what came. Messages that a
 * schema gives itself win; what has no text here keeps zod's.
 */
export function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'required' : oneOf(issue.values);
    case 'invalid_union':
      return Array.isArray(issue['options']) ? oneOf(issue['options']) : undefined;
    case 'too_small':
      return `must ${bound(issue.origin, issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'more than', issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'less than', issue.maximum)}`;
    default:
      return undefined;
  }
}

function oneOf(values: readonly unknown[]): string {
  const choices = values.slice(0, MAX_CHOICES).map((value) => JSON.stringify(value));
  if (choices.length < values.length) choices.push('…');
  return choices.length === 1 ? `must be ${choices[0]}` : `must be one of ${choices.join(', ')}`;
}

function bound(origin: string, relation: string, limit: unknown): string {
  const unit = SIZED[origin];
  return unit === undefined ? `be ${relation} ${String(limit)}` : `have ${relation} ${String(limit)} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}
