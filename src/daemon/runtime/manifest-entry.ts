import { z } from 'zod';
import { isShellLike, isWriteLike, toolAnnotations, type ToolDefinition } from '../../protocol/tool-definition.js';
import type { Json, JsonObject } from '../../protocol/tool-result.js';

/** The one line of a tool in a list. */
export function listEntry(definition: ToolDefinition): JsonObject {
  return {
    name: definition.name,
    title: definition.title,
    summary: definition.summary,
    category: definition.category,
    effect: definition.effect,
    direct: definition.direct_rank !== undefined,
  };
}

/** The whole contract of one tool: what it takes, what it gives, what it needs. */
export function contract(definition: ToolDefinition): JsonObject {
  return {
    ...listEntry(definition),
    ...(definition.description === undefined ? {} : { description: definition.description }),
    risk: definition.risk,
    approval: definition.approval,
    idempotency: definition.idempotency,
    scopes: { require: definition.scopes.kind, scopes: definition.scopes.scopes },
    session: definition.session,
    project: definition.project,
    destructive: definition.destructive,
    write_like: isWriteLike(definition),
    shell_like: isShellLike(definition),
    annotations: { ...toolAnnotations(definition) },
    input_schema: z.toJSONSchema(definition.input, { io: 'input' }) as Json,
    output_schema: z.toJSONSchema(definition.output, { io: 'output', unrepresentable: 'any' }) as Json,
  };
}

/** Whether a tool stands in lists: model-visible, and no exact-name specialist (spec 04 §6). */
export function isListed(definition: ToolDefinition): boolean {
  return definition.visibility === 'model_visible' && definition.specialist !== true;
}
