import { z } from 'zod';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import { SESSION_SELECTOR_PATTERN } from '../../protocol/ids.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import type { CallContext } from './call-context.js';
import type { EvidenceFacts } from './evidence-facts.js';

/** What a handler gives back: the answer, and the structured facts that the evidence is closed from. */
export interface HandlerOutcome {
  readonly result: ToolResult;
  readonly facts?: EvidenceFacts;
}

/** Step 12 of a call: domain code or the Runner. */
export type ToolHandler<Input extends z.ZodObject> = (
  input: z.output<Input>,
  call: CallContext,
) => Promise<HandlerOutcome> | HandlerOutcome;

/** A definition with its handler bound, as the registry holds it. */
export interface Tool {
  readonly definition: ToolDefinition;
  /** Parsed input goes in; the registry parsed it with the definition's own schema. */
  readonly run: (input: Record<string, unknown>, call: CallContext) => Promise<HandlerOutcome>;
}

/** Binds a definition to its handler. */
export function defineTool<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
  handler: ToolHandler<Input>,
): Tool {
  return {
    definition,
    run: async (input, call) => handler(input as z.output<Input>, call),
  };
}

/**
 * A Session selector as an input: any string passes the schema, because the domain
 * answers malformed ids with its own kinds (spec 00, decision 59); the pattern is advertised.
 */
export const sessionSelector = z.string().meta({
  pattern: SESSION_SELECTOR_PATTERN,
  description: 'Workflow Session: wc_sess_… or its short form ~sN',
});

/** A project selector as an input. */
export const projectSelector = z.string().min(1).max(300).meta({
  description: 'Project: agent:local:NAME, its name, or its short form ~pN',
});

/** A whole number that is cut to its range and never rejected for its size (spec 04 §1). */
export function clamped(minimum: number, maximum: number, fallback: number): z.ZodType<number, number | undefined> {
  return z
    .int()
    .default(fallback)
    .overwrite((value) => Math.min(maximum, Math.max(minimum, value)))
    .meta({ description: `${minimum}..${maximum}, larger and smaller values are cut` });
}
