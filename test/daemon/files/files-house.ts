import { z } from 'zod';
import { createCheckpointsDomain } from '../../../src/daemon/checkpoints/index.js';
import { createFilesDomain } from '../../../src/daemon/files/index.js';
import { createGitDomain } from '../../../src/daemon/git/index.js';
import type { CallContext, ResolvedProject } from '../../../src/daemon/kernel/call-context.js';
import type { Principal } from '../../../src/daemon/kernel/principal.js';
import type { HandlerOutcome, Tool } from '../../../src/daemon/kernel/tool.js';
import type { RunnerPort } from '../../../src/daemon/runner-link/port.js';
import { answerOf } from '../../../src/daemon/runner-link/answer-of.js';
import type { CallId, InvocationId, ProjectId, RootFingerprint, SessionId } from '../../../src/protocol/ids.js';
import type { JsonObject, ToolResult } from '../../../src/protocol/tool-result.js';
import { createCheckpointServices } from '../../../src/runner/checkpoints/index.js';
import { createFilesServices } from '../../../src/runner/files/index.js';
import { createGitServices } from '../../../src/runner/git/index.js';
import { createSearchServices } from '../../../src/runner/search/index.js';
import { Turns } from '../../../src/runner/turns.js';
import { testJournal } from '../../runner/files/test-journal.js';
import { principal, session } from '../kernel/kernel-fixture.js';
import type { TemporaryProject } from '../../runner/temporary-project.js';

export const SESSION = 'wc_sess_0123456789abcdef' as SessionId;

/** The tools of files and Git over the Runner's real services in this process. */
export interface FilesHouse {
  /** Calls a tool as the kernel would: arguments are parsed by its own schema. */
  call(name: string, args: JsonObject, context?: Partial<CallContext>): Promise<HandlerOutcome>;
  /** The output of a call that must succeed. */
  succeed(name: string, args: JsonObject, context?: Partial<CallContext>): Promise<Output>;
  /** The output of a call that must fail. */
  fail(name: string, args: JsonObject, context?: Partial<CallContext>): Promise<Output>;
  /** Makes the call that an output suggests; its arguments must be as the tool's schema wants them. */
  follow(output: Output): Promise<Output>;
  tool(name: string): Tool;
  clock: number;
}

/** An output as tests look into it. */
export type Output = Readonly<Record<string, unknown>>;

export interface HouseOptions {
  readonly allowPatch?: boolean;
  readonly answers?: ToolResult;
  /** The private folder of checkpoints; without one there are no checkpoint tools. */
  readonly checkpoints?: string;
}

export function filesHouse(project: TemporaryProject, options: HouseOptions = {}): FilesHouse {
  const environment = (): NodeJS.ProcessEnv => process.env;
  const turns = new Turns();
  const services = [
    ...createFilesServices({ places: 2, turns, ...testJournal() }),
    ...createSearchServices({ environment }),
    ...createGitServices({ environment, turns }),
    ...(options.checkpoints === undefined
      ? []
      : createCheckpointServices({ folder: options.checkpoints, environment, turns, now: () => Date.now(), onFault: unexpected })),
  ];
  const runner: RunnerPort = {
    state: null,
    onInstance: () => undefined,
    async call(method, params, callOptions) {
      const service = services.find((one) => one.method.name === method.name);
      if (service === undefined) throw new Error(`no service for ${method.name}`);
      const value = await service.handle(method.params.parse(params), {
        signal: callOptions?.signal ?? new AbortController().signal,
        disconnected: new AbortController().signal,
        note: () => true,
        drained: () => Promise.resolve(),
      });
      // What cannot travel as JSON must not pass here either.
      return answerOf(method, { kind: 'answered', value: JSON.parse(JSON.stringify(value)) as unknown });
    },
  };
  const house: { clock: number } = { clock: 1_700_000_000 };
  const refFor = (id: SessionId, by: Principal): string | null => (id === SESSION && by.principalKey === principal().principalKey ? '~s7' : null);
  const tools = [
    ...createFilesDomain({ runner, sessions: { refFor }, now: () => house.clock }).tools,
    ...createGitDomain({ runner, sessions: { snapshot: () => null, refFor }, now: () => house.clock }).tools,
    ...createCheckpointsDomain({ runner }).tools,
  ];
  const resolved: ResolvedProject = {
    id: 'agent:local:demo' as ProjectId,
    name: 'demo',
    clientId: 'local',
    path: project.folder,
    rootFingerprint: project.root.fingerprint as RootFingerprint,
    allowPatch: options.allowPatch ?? true,
    revision: 1,
  };
  const tool = (name: string): Tool => {
    const found = tools.find((one) => one.definition.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  const call = async (name: string, args: JsonObject, context: Partial<CallContext> = {}): Promise<HandlerOutcome> => {
    const { definition, run } = tool(name);
    const input = definition.input.parse({ project: 'agent:local:demo', ...args });
    const outcome = await run(input, { ...callContext(resolved), ...context });
    if (outcome.result.success) definition.output.parse(outcome.result.output);
    z.json().parse(outcome.result.output);
    return outcome;
  };
  const outputOf = async (wanted: boolean, ...given: Parameters<typeof call>): Promise<Output> => {
    const { result } = await call(...given);
    if (result.success !== wanted) throw new Error(JSON.stringify(result));
    return result.output;
  };
  return Object.assign(house, {
    call,
    tool,
    succeed: (...given: Parameters<typeof call>) => outputOf(true, ...given),
    fail: (...given: Parameters<typeof call>) => outputOf(false, ...given),
    async follow(output: Output) {
      const suggested = output['suggested_call'] as { tool: string; arguments: JsonObject; follow_up_kind: string };
      if (Object.keys(suggested).sort().join() !== 'arguments,follow_up_kind,tool') throw new Error('members of suggested_call');
      return outputOf(true, suggested.tool, suggested.arguments);
    },
  });
}

function unexpected(error: unknown): void {
  throw error;
}

function callContext(project: ResolvedProject): CallContext {
  return {
    callId: '00000000-0000-4000-8000-000000000000' as CallId,
    invocationId: 'wc_inv_0' as InvocationId,
    adapter: 'http',
    principal: principal(),
    window: null,
    session: session(SESSION),
    recorder: null,
    recorderProject: null,
    project,
    signal: new AbortController().signal,
    disconnected: new AbortController().signal,
    environment: null,
    stdinPipe: null,
    wantsProgress: false,
    progress: () => undefined,
    answerWithinMs: null,
  };
}
