import { failure } from '../../protocol/tool-result.js';
import { refuseCall } from './call-refused.js';
import type { Registry } from './registry.js';
import type { Tool } from './tool.js';

/** The tool that a call really runs, with the arguments that are its own. */
export interface ToolCall {
  readonly tool: Tool;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Step 3: the tool by its exact name. A gateway is unwrapped here, so that its target
 * goes through every later step exactly as if it had been called by itself: routing
 * never changes authority, and nothing is decided twice.
 */
export function lookUpTool(
  registry: Registry,
  name: string,
  args: Readonly<Record<string, unknown>>,
): ToolCall {
  const tool = registry.find(name) ?? refuseCall(unknownTool(name));
  return tool.definition.gateway === true ? unwrapGateway(registry, tool, args) : { tool, arguments: args };
}

function unwrapGateway(registry: Registry, gateway: Tool, args: Readonly<Record<string, unknown>>): ToolCall {
  const outer = gateway.definition.input.safeParse(args);
  if (!outer.success) {
    return refuseCall(
      failure('invalid_arguments', 'call_runtime_tool takes exactly { tool, arguments }', { state_changed: false }),
    );
  }
  const { tool: targetName, arguments: inner } = outer.data as {
    tool: string;
    arguments: Record<string, unknown>;
  };
  if (Object.hasOwn(inner, '_wc')) {
    return refuseCall(
      failure('invalid_arguments', '_wc belongs beside the gateway call, not inside its arguments', {
        state_changed: false,
      }),
    );
  }
  const target = registry.find(targetName) ?? refuseCall(unknownTool(targetName));
  if (target.definition.gateway === true || target.definition.visibility === 'model_hidden') {
    return refuseCall(
      failure('invalid_arguments', 'the gateway runs model-visible tools that are no gateways themselves', {
        state_changed: false,
      }),
    );
  }
  return { tool: target, arguments: inner };
}

function unknownTool(name: string): ReturnType<typeof failure> {
  // The name is a caller's text: it is bounded, and shown only when it has the form of a name.
  const shown = /^[a-z0-9_]{1,64}$/.test(name) ? ` named ${name}` : ' of that name';
  return failure('unknown_tool', `there is no tool${shown}; list_tools shows what there is`, {
    state_changed: false,
  });
}
