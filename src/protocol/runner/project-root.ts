import { z } from 'zod';
import type { Json } from '../tool-result.js';

/**
 * The registered folder that a request is confined to. The Runner resolves it anew
 * for every request and refuses when it is no longer the folder that was registered.
 */
export const projectRootSchema = z.strictObject({
  path: z.string(),
  fingerprint: z.string(),
});
export type ProjectRoot = z.infer<typeof projectRootSchema>;

/** A refusal that the Runner answers instead of a result; it becomes a ToolResult failure as it is. */
export const refusalSchema = z.strictObject({
  refused: z.strictObject({
    error_kind: z.string(),
    message: z.string(),
    detail: z.record(z.string(), z.custom<Json>()),
  }),
});
export type Refusal = z.infer<typeof refusalSchema>;
