import type { ToolDefinition } from '../../protocol/tool-definition.js';
import type { Tool } from './tool.js';

/** All tools by name: closed once it is built. */
export class Registry {
  private readonly byName: ReadonlyMap<string, Tool>;

  /** @throws when two tools have one name, which is a fault of this program */
  constructor(tools: readonly Tool[]) {
    const byName = new Map<string, Tool>();
    for (const tool of tools) {
      const { name } = tool.definition;
      if (byName.has(name)) throw new Error(`two tools are named ${name}`);
      byName.set(name, tool);
    }
    this.byName = byName;
  }

  /** The tool of that exact name; retired and unknown names have none. */
  find(name: string): Tool | null {
    return this.byName.get(name) ?? null;
  }

  definitions(): readonly ToolDefinition[] {
    return [...this.byName.values()].map((tool) => tool.definition);
  }
}
