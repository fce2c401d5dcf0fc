import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueMessage } from '../../../src/daemon/kernel/issue-message.js';

/** What is said about `value` where `schema` is asked for. */
const said = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: issueMessage }).error?.issues[0]?.message;

const shape = z.strictObject({ name: z.string() });

describe('what is said about a wrong value', () => {
  it.each<[z.ZodType, unknown, string]>([
    [shape, {}, 'required'],
    [shape, { name: 5 }, 'must be a string'],
    [shape, [], 'must be an object'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.boolean(), 'yes', 'must be true or false'],
    [z.array(z.string()), 'x', 'must be a list'],
    [z.enum(['any', 'all']), 'some', 'must be one of "any", "all"'],
    [z.literal('local'), 'x', 'must be "local"'],
    [z.strictObject({ mode: z.enum(['any', 'all']) }), {}, 'required'],
    [z.string().min(1), '', 'must have at least 1 character'],
    [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 items'],
    [z.int().min(1), 0, 'must be at least 1'],
    [z.number().lt(5), 5, 'must be less than 5'],
    [z.discriminatedUnion('kind', [z.object({ kind: z.literal('edit') }), z.object({ kind: z.literal('create') })]), {}, 'must be one of "edit", "create"'],
  ])('%# is %s', (schema, value, message) => {
    expect(said(schema, value)).toBe(message);
  });

  it('leaves the word to a schema that has one of its own', () => {
    expect(said(z.string().max(2, 'two letters'), 'abc')).toBe('two letters');
    expect(said(z.strictObject({ name: z.string('say a name') }), {})).toBe('say a name');
  });

  it('cuts a long list of choices', () => {
    const many = Array.from({ length: 40 }, (_, at) => `c${at}`);
    expect(said(z.enum(many), 'x')?.endsWith('"c31", …')).toBe(true);
  });
});
