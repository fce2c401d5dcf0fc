import type { CreateParser, ParserId, ValidationAdapter } from './adapter.js';
import type { FindParser } from './read-validation.js';

/** Finds a parser by its id among the adapters' own. */
export function parserFinder(adapters: readonly ValidationAdapter[]): FindParser {
  const parsers = new Map<string, CreateParser>(adapters.flatMap((adapter) => Object.entries(adapter.parsers)));
  return (id: ParserId) => parsers.get(id) ?? null;
}
