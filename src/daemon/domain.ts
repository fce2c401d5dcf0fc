import type { JsonObject } from '../protocol/tool-result.js';
import type { Tool } from './kernel/tool.js';

/**
 * The shape of every domain folder: `index.ts` exports a `create…` function that
 * takes what it needs and gives back this. `tools.ts` holds definitions and
 * handlers, `store.ts` the SQL, and each rule has a file named after it.
 */
export interface Domain {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** What `get_runtime_status` says of the domain: counts and states, no content. */
  readonly status?: () => JsonObject;
  /** The orderly end; awaited before the stores close. */
  readonly close?: () => Promise<void> | void;
}
