import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import type { RunnerMethod } from '../../../src/protocol/runner/method.js';
import type { Refusal } from '../../../src/protocol/runner/project-root.js';
import { runnerSettingsSchema } from '../../../src/protocol/runner/settings.js';
import {
  closeShellMethod,
  executeInShellMethod,
  openShellMethod,
  shellStatusMethod,
  type ShellCommandReport,
  type ShellView,
} from '../../../src/protocol/runner/shells.js';
import { ChildEnvironments } from '../../../src/runner/environment/index.js';
import { CurrentSettings } from '../../../src/runner/policy/current-settings.js';
import { isRefusal, type RunnerRequest } from '../../../src/runner/request.js';
import { RemoteHosts } from '../../../src/runner/ssh/index.js';
import { createShellServices, type EndedShell, type ShellServices } from '../../../src/runner/shell/index.js';
import { temporaryProject, type TemporaryProject } from '../temporary-project.js';

const PROJECT = 'agent:local:test';

export interface Call {
  readonly signal?: AbortSignal;
  readonly onNote?: (note: z.output<typeof executeInShellMethod.note>) => boolean;
  readonly drained?: () => Promise<void>;
}

type ExecuteParams = z.input<typeof executeInShellMethod.params>;

/** The shell services in this process, with real shells and a project of their own. */
export interface ShellHouse {
  readonly project: TemporaryProject;
  readonly shells: ShellServices;
  readonly settings: CurrentSettings;
  readonly folder: string;
  readonly faults: unknown[];
  /** Sends a request as the wire would: parameters and answer are checked. */
  ask<Params extends z.ZodType, Result extends z.ZodType, Note extends z.ZodType>(
    method: RunnerMethod<Params, Result, Note>,
    params: z.input<Params>,
    call?: Call,
  ): Promise<z.output<Result> | Refusal>;
  /** Opens the shell of a Session of its own, unless one is named. */
  open(params?: Partial<z.input<typeof openShellMethod.params>>): Promise<OpenShell>;
  tryOpen(params?: Partial<z.input<typeof openShellMethod.params>>): Promise<ShellView | Refusal>;
  close(): Promise<void>;
}

/** A shell that is open, and what a test does with it. */
export interface OpenShell {
  readonly view: ShellView;
  readonly binding: { readonly shell_id: string; readonly project: string; readonly session_id: string };
  /** Runs a command that is written to the shell. */
  run(command: string, params?: Partial<ExecuteParams>, call?: Call): Promise<ShellCommandReport & { readonly after: ShellView }>;
  tryRun(command: string, params?: Partial<ExecuteParams>, call?: Call): Promise<object>;
  status(waitMs?: number): Promise<z.output<typeof shellStatusMethod.result>>;
  close(): Promise<z.output<typeof closeShellMethod.result>>;
}

let sessions = 0;

export async function shellHouse(
  settings: Partial<z.input<typeof runnerSettingsSchema>> = {},
  options: { readonly folder?: string; readonly lost?: readonly EndedShell[] } = {},
): Promise<ShellHouse> {
  const project = await temporaryProject();
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'wc-shells-')));
  const current = new CurrentSettings();
  current.replace(runnerSettingsSchema.parse(settings));
  const faults: unknown[] = [];
  const environments = new ChildEnvironments({ from: 'inherit', noninteractive: true, settings: current });
  const onFault = (error: unknown): void => void faults.push(error);
  const hosts = new RemoteHosts({ folder, environments, settings: current, marks: { begin: () => () => undefined }, onFault });
  const shells = await createShellServices({
    folder,
    environments,
    settings: current,
    hosts,
    lost: Promise.resolve(options.lost ?? []),
    onFault,
  });

  const ask: ShellHouse['ask'] = async (method, params, call = {}) => {
    const service = shells.services.find((candidate) => candidate.method.name === method.name);
    if (service === undefined) throw new Error(`no service for ${method.name}`);
    const request: RunnerRequest<unknown> = {
      signal: call.signal ?? new AbortController().signal,
      disconnected: new AbortController().signal,
      note: (note) => call.onNote?.(executeInShellMethod.note.parse(note)) ?? true,
      drained: call.drained ?? (() => Promise.resolve()),
    };
    const answer = (await service.handle(method.params.parse(params), request)) as object;
    return isRefusal(answer) ? answer : method.result.parse(answer);
  };
  const tryOpen: ShellHouse['tryOpen'] = async (params) => {
    const opened = await ask(openShellMethod, {
      root: project.root,
      project: PROJECT,
      session_id: `session-${++sessions}`,
      cwd: null,
      shell: null,
      environment: null,
      ...params,
    });
    return isRefusal(opened) ? opened : opened.shell;
  };
  const house: ShellHouse = {
    project,
    shells,
    settings: current,
    folder,
    faults,
    ask,
    tryOpen,
    open: async (params) => {
      const view = await tryOpen(params);
      if (isRefusal(view)) throw new Error(JSON.stringify(view));
      return openShell(house, view);
    },
    close: async () => {
      await shells.shutdown();
      await hosts.close();
      await project.remove();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
  return house;
}

function openShell(house: ShellHouse, view: ShellView): OpenShell {
  const { shell_id, project, session_id } = view;
  const binding = { shell_id, project, session_id };
  const { root } = house.project;
  const tryRun: OpenShell['tryRun'] = (command, params, call) =>
    house.ask(
      executeInShellMethod,
      { ...binding, root, command, timeout_ms: 20_000, answer_after_ms: null, stream_output: call?.onNote !== undefined, ...params },
      call,
    );
  const answered = <Answer extends object>(answer: Answer | Refusal): Answer => {
    if (isRefusal(answer)) throw new Error(JSON.stringify(answer));
    return answer;
  };
  return {
    view,
    binding,
    tryRun,
    run: async (command, params, call) => {
      const { command: report, shell } = executeInShellMethod.result.parse(answered(await tryRun(command, params, call)));
      return { ...report, after: shell };
    },
    status: async (waitMs = 0) => answered(await house.ask(shellStatusMethod, { ...binding, root, wait_ms: waitMs })),
    close: async () => answered(await house.ask(closeShellMethod, binding)),
  };
}
