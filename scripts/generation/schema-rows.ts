import type { JsonSchema } from '../../src/protocol/catalog.js';

/** One line of a table that explains a schema to a person. */
export interface SchemaRow {
  /** `items[].path`: where the value stands. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** Bounds and defaults, as words. */
  readonly bounds: string;
  readonly description: string;
}

/** The lines of an object's properties, nested ones after their parent. */
export function schemaRows(schema: JsonSchema, prefix = ''): SchemaRow[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const row = {
      path,
      type: typeWord(property),
      required: required.has(name),
      bounds: boundWords(property),
      description: property.description ?? '',
    };
    return [row, ...nestedRows(property, path)];
  });
}

function nestedRows(schema: JsonSchema, path: string): SchemaRow[] {
  const rows: SchemaRow[] = [];
  if (schema.properties !== undefined) rows.push(...schemaRows(schema, `${path}.`));
  if (schema.items !== undefined) rows.push(...nestedRows(schema.items, `${path}[]`));
  for (const branch of schema.oneOf ?? schema.anyOf ?? []) rows.push(...nestedRows(branch, `${path}${branchLabel(branch)}`));
  return unique(rows);
}

/** `(kind: edit)`, so that the branches of a union are told apart. */
function branchLabel(branch: JsonSchema): string {
  const tag = Object.entries(branch.properties ?? {}).find(([, property]) => property.const !== undefined);
  return tag === undefined ? '' : `(${tag[0]}: ${String(tag[1].const)})`;
}

function unique(rows: readonly SchemaRow[]): SchemaRow[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

function typeWord(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(' or ');
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) return [...new Set(branches.map(typeWord))].join(' or ');
  if (schema.type === 'array') return schema.items === undefined ? 'array' : `array of ${typeWord(schema.items)}`;
  if (schema.type === undefined) return 'any';
  return typeof schema.type === 'string' ? schema.type : schema.type.join(' or ');
}

function boundWords(schema: JsonSchema): string {
  const words = [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.pattern === undefined ? '' : `matches \`${schema.pattern}\``,
    schema.default === undefined ? '' : `default \`${JSON.stringify(schema.default)}\``,
  ];
  return words.filter((word) => word !== '').join('; ');
}

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from !== undefined && to !== undefined) return from === to ? `exactly ${from}${unit}` : `${from}..${to}${unit}`;
  if (to !== undefined) return `at most ${to}${unit}`;
  return from === undefined ? '' : `at least ${from}${unit}`;
}
