import type { Catalog, CatalogTool } from '../../src/protocol/catalog.js';
import type { JsonSchema } from '../../src/protocol/catalog.js';
import { TOOL_CATEGORIES } from '../../src/protocol/tool-definition.js';
import { fence, page, table } from './markdown.js';
import { schemaRows } from './schema-rows.js';

const GENERATED = '<!-- Written by `npm run generate` from the tool definitions; edit those. -->';

/** The pages of docs/tools, by file name: one a tool, and the index. */
export function toolPages(catalog: Catalog): Map<string, string> {
  const pages = catalog.tools.map((tool) => [`${tool.name}.md`, toolPage(tool)] as const);
  return new Map([['README.md', indexPage(catalog)], ...pages]);
}

function indexPage(catalog: Catalog): string {
  const categories = TOOL_CATEGORIES.map((category) => ({
    category,
    tools: catalog.tools.filter((tool) => tool.category === category),
  })).filter(({ tools }) => tools.length > 0);
  return page(
    GENERATED,
    '# Tools',
    `Every tool is one definition; its HTTP route, MCP descriptor, command and page come from it. ${catalog.tools.length} tools, version ${catalog.version}.`,
    'The words used on these pages are explained in [concepts](../concepts.md).',
    ...categories.map(({ category, tools }) =>
      page(
        `## ${category}`,
        table(
          ['tool', 'command', 'what it does', 'effect'],
          tools.map((tool) => [`[\`${tool.name}\`](${tool.name}.md)`, `\`wc ${tool.command}\``, tool.summary, tool.effect]),
        ),
      ).trimEnd(),
    ),
  );
}

function toolPage(tool: CatalogTool): string {
  return page(
    GENERATED,
    `# \`${tool.name}\``,
    `**${tool.title}.** ${tool.summary}`,
    tool.description ?? null,
    '## What is known before it runs',
    table(['fact', 'value'], factRows(tool)),
    '## Input',
    schemaTable(tool.inputSchema, 'It takes no input.'),
    '## Output on success',
    schemaTable(tool.outputSchema, 'Its shape depends on what was asked.'),
    '## From a terminal',
    fence('sh', commandLine(tool)),
    '## Over the socket',
    fence('sh', curlLine(tool)),
  );
}

function factRows(tool: CatalogTool): string[][] {
  const scopes = tool.scopes.scopes.map((scope) => `\`${scope}\``).join(tool.scopes.kind === 'all' ? ' and ' : ' or ');
  return [
    ['category', tool.category],
    ['effect', tool.effect],
    ['risk', tool.risk],
    ['approval', tool.approval],
    ['idempotency', tool.idempotency],
    ['scopes', scopes === '' ? 'none' : scopes],
    ['Session', SESSION_WORDS[tool.session]],
    ['project', PROJECT_WORDS[tool.project]],
    ['destructive', tool.destructive ? 'yes' : 'no'],
    ['runs programs', tool.shell_like ? 'yes' : 'no'],
    ['inputs that evidence may hold', tool.recorded_inputs.map((name) => `\`${name}\``).join(', ') || 'none'],
    ['MCP', mcpWords(tool)],
  ];
}

const SESSION_WORDS = {
  none: 'takes none',
  records: 'optional; lends its guards and records the call',
  target: 'required; the tool is about it',
  own: 'admits it itself',
} as const;

const PROJECT_WORDS = {
  none: 'takes none',
  required: 'required',
  session_default: "optional; the Session's is taken",
  own: 'resolves its source itself',
} as const;

function mcpWords(tool: CatalogTool): string {
  if (tool.visibility === 'model_hidden') return 'hidden from models';
  if (tool.specialist === true) return 'callable by its exact name, absent from lists';
  return tool.direct_rank === undefined ? 'through `call_runtime_tool`' : 'in the direct list';
}

function schemaTable(schema: JsonSchema, empty: string): string {
  const rows = schemaRows(schema);
  if (rows.length === 0) return empty;
  return table(
    ['field', 'type', 'required', 'bounds', 'meaning'],
    rows.map((row) => [`\`${row.path}\``, row.type, row.required ? 'yes' : '', row.bounds, row.description]),
  );
}

function commandLine(tool: CatalogTool): string {
  const words = (tool.cli?.positionals ?? []).map((name) => name.toUpperCase());
  const facts = tool.cli?.program;
  const program = facts === undefined ? [] : ['--', ...(facts.executable === undefined ? [] : ['PROGRAM']), '[ARGS...]'];
  const typed = ['wc', tool.command, '[FLAGS]', ...words, ...program].join(' ');
  return `${typed}\nwc ${tool.command} --json --input '${JSON.stringify(exampleInput(tool))}'`;
}

function curlLine(tool: CatalogTool): string {
  const body = JSON.stringify({ arguments: exampleInput(tool) });
  return [
    `curl --unix-socket "$(wc daemon status --json | jq -r .socket)" \\`,
    `  -H 'content-type: application/json' -d '${body}' \\`,
    `  http://wc/api/tools/${tool.name}`,
  ].join('\n');
}

/** The required inputs with placeholders in their places. */
function exampleInput(tool: CatalogTool): Record<string, unknown> {
  const required = tool.inputSchema.required ?? [];
  return Object.fromEntries(required.map((name) => [name, example(name, tool.inputSchema.properties[name] ?? {})]));
}

function example(name: string, schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (name === 'session_id') return '~s1';
  const branch = (schema.oneOf ?? schema.anyOf)?.[0];
  if (branch !== undefined) return example(name, branch);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [example(name, schema.items ?? {})];
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((key) => [key, example(key, schema.properties?.[key] ?? {})]));
    default:
      return name.toUpperCase();
  }
}
