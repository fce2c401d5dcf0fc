import type { ToolDefinition } from '../../protocol/tool-definition.js';
import type { Domain } from '../domain.js';
import { callRuntimeTool } from './tools/call-runtime-tool.js';
import { getRuntimeStatus, type StatusSource } from './tools/get-runtime-status.js';
import { listTools } from './tools/list-tools.js';
import { readToolManifest } from './tools/read-tool-manifest.js';

export type { StatusSource } from './tools/get-runtime-status.js';

/** Discovery and status: the tools that speak about tools and about the runtime itself. */
export function createRuntimeDomain(deps: {
  readonly definitions: () => readonly ToolDefinition[];
  readonly status: StatusSource;
}): Domain {
  return {
    name: 'runtime',
    tools: [
      listTools(deps.definitions),
      readToolManifest(deps.definitions),
      callRuntimeTool(),
      getRuntimeStatus(deps.status),
    ],
  };
}
