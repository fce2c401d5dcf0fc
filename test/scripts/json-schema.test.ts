import { expect, it } from 'vitest';
import { z } from 'zod';
import { inputSchemaOf, outputSchemaOf } from '../../scripts/generation/json-schema.js';

it('says what a caller may send: defaults optional, no safe-integer bounds, no $schema', () => {
  const input = z.strictObject({
    project: z.string().min(1),
    limit: z.int().default(20),
    depth: z.int().min(1).max(4).optional(),
  });
  expect(inputSchemaOf('list_things', input)).toEqual({
    type: 'object',
    properties: {
      project: { type: 'string', minLength: 1 },
      limit: { type: 'integer', default: 20 },
      depth: { type: 'integer', minimum: 1, maximum: 4 },
    },
    required: ['project'],
    additionalProperties: false,
  });
});

it('refuses an open object, since unknown fields must be', () => {
  expect(() => inputSchemaOf('list_things', z.object({}))).toThrow('list_things: the input must be a closed object');
});

it('refuses an input without a JSON form', () => {
  expect(() => inputSchemaOf('list_things', z.strictObject({ when: z.date() }))).toThrow();
});

it('lets an output hold what has no JSON form of its own', () => {
  expect(outputSchemaOf(z.strictObject({ fact: z.custom<unknown>() }))).toMatchObject({ properties: { fact: {} } });
});

it('leaves the root of an output open for the facts that the kernel adds', () => {
  expect(outputSchemaOf(z.strictObject({ item: z.strictObject({}) }))).toMatchObject({
    properties: { item: { additionalProperties: false } },
    additionalProperties: {},
  });
});
