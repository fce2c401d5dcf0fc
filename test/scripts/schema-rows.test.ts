import { expect, it } from 'vitest';
import { z } from 'zod';
import { inputSchemaOf } from '../../scripts/generation/json-schema.js';
import { schemaRows } from '../../scripts/generation/schema-rows.js';

it('explains nested objects, arrays and the branches of a union', () => {
  const input = z.strictObject({
    items: z
      .array(
        z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('create'), path: z.string().max(512) }),
          z.strictObject({ kind: z.literal('delete') }),
        ]),
      )
      .min(1)
      .max(8)
      .meta({ description: 'What to do' }),
    mode: z.enum(['fast', 'full']).default('fast'),
  });
  expect(schemaRows(inputSchemaOf('change_things', input))).toEqual([
    { path: 'items', type: 'array of object', required: true, bounds: '1..8 items', description: 'What to do' },
    { path: 'items[](kind: create).kind', type: '`"create"`', required: true, bounds: '', description: '' },
    { path: 'items[](kind: create).path', type: 'string', required: true, bounds: 'at most 512 characters', description: '' },
    { path: 'items[](kind: delete).kind', type: '`"delete"`', required: true, bounds: '', description: '' },
    { path: 'mode', type: '`fast` or `full`', required: false, bounds: 'default `"fast"`', description: '' },
  ]);
});
