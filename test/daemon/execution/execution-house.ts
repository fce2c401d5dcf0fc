import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import type { Domain } from '../../../src/daemon/domain.js';
import { createExecutionDomain } from '../../../src/daemon/execution/index.js';
import { createJobsDomain } from '../../../src/daemon/jobs/index.js';
import type { CallContext, ResolvedProject } from '../../../src/daemon/kernel/call-context.js';
import { CallRefused } from '../../../src/daemon/kernel/call-refused.js';
import { parseArguments } from '../../../src/daemon/kernel/parse-arguments.js';
import type { ProjectPort, SessionExecutionContext, SessionView } from '../../../src/daemon/kernel/ports.js';
import type { HandlerOutcome, Tool } from '../../../src/daemon/kernel/tool.js';
import { createValidationDomain, type ValidationDeps } from '../../../src/daemon/validation/index.js';
import { createRunnerLink, type LinkBounds, type RunnerLink, type RunnerLinkOptions } from '../../../src/daemon/runner-link/index.js';
import type { Progress } from '../../../src/protocol/api.js';
import type { AuthorityFingerprint, CallId, InvocationId, ProjectId, SessionId } from '../../../src/protocol/ids.js';
import { projectRootFingerprint } from '../../../src/protocol/project-root-fingerprint.js';
import type { startExecutionMethod } from '../../../src/protocol/runner/execution.js';
import type { RunnerLaunch } from '../../../src/protocol/runner/launch.js';
import { failure, type JsonObject } from '../../../src/protocol/tool-result.js';
import { VERSION } from '../../../src/protocol/version.js';

const DOOMED = fileURLToPath(new URL('./doomed-daemon.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../../dist/runner/main.js', import.meta.url));

export type CallOptions = Partial<
  Pick<CallContext, 'session' | 'signal' | 'disconnected' | 'environment' | 'stdinPipe' | 'wantsProgress' | 'progress' | 'answerWithinMs' | 'project'>
>;

/** The tools of the house run without a ledger. */
const NO_SESSIONS: ValidationDeps['sessions'] = {
  snapshot: () => null,
  recordTerminalValidations: () => Promise.resolve({ rejected: 'unknown_session' }),
};

/** One daemon's side: a link to the Runner of the house, and the tools over it. */
export interface DaemonSide {
  readonly link: RunnerLink;
  /** Calls a tool as the kernel does: parsed by its own schema first. */
  call(tool: string, args: Record<string, unknown>, options?: CallOptions): Promise<HandlerOutcome>;
  /** The output of a call that is expected to succeed. */
  output(tool: string, args: Record<string, unknown>, options?: CallOptions): Promise<JsonObject>;
  tool(name: string): Tool;
}

export interface DoomedDaemon {
  readonly runnerPid: number;
  readonly jobId: string;
  readonly kill: () => void;
}

/** A state folder with a real Runner, a project, and one daemon's side after the other. */
export class ExecutionHouse {
  readonly state = mkdtempSync(join(tmpdir(), 'wc-exec-'));
  readonly projectPath = realpathSync(mkdtempSync(join(tmpdir(), 'wc-project-')));
  readonly project = projectAt(this.projectPath, 'one');
  private readonly daemons: DaemonSide[] = [];
  private readonly doomed: ChildProcess[] = [];

  constructor(private readonly settings: Partial<RunnerLaunch> = {}) {
    mkdirSync(join(this.state, 'spool'), { mode: 0o700 });
  }

  daemon(bounds: Partial<LinkBounds> = {}): DaemonSide {
    const link = createRunnerLink({ ...this.linkOptions(), log: () => undefined, bounds });
    link.start();
    const daemon = daemonSide(link, this.project);
    this.daemons.push(daemon);
    return daemon;
  }

  /** Starts a Job from a daemon's side in a process of its own, which is there to be killed. */
  async doomedDaemon(command: string): Promise<DoomedDaemon> {
    const start: z.input<typeof startExecutionMethod.params> = {
      execution_id: `wc_inv_${randomBytes(16).toString('hex')}`,
      root: { path: this.project.path, fingerprint: this.project.rootFingerprint },
      project: this.project.id,
      session_id: null,
      source: 'run_job',
      purpose: 'other',
      program: { kind: 'shell', command, shell: 'sh' },
      command_preview: 'a Job',
      stdin: null,
      cwd: null,
      timeout_ms: 60_000,
      mode: 'job',
      hand_off_after_ms: null,
      environment: null,
      stream_output: false,
      annotations: {},
    };
    const argument = JSON.stringify({ link: this.linkOptions(), start });
    const child = spawn(process.execPath, [DOOMED, argument], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.doomed.push(child);
    for await (const line of createInterface(child.stdout)) {
      return { ...(JSON.parse(line) as { runnerPid: number; jobId: string }), kill: () => child.kill('SIGKILL') };
    }
    throw new Error('the doomed daemon said nothing');
  }

  private linkOptions(): Omit<RunnerLinkOptions, 'log' | 'bounds'> {
    const launch: RunnerLaunch = {
      state_folder: this.state,
      socket_path: join(this.state, 'runner.sock'),
      spool_folder: join(this.state, 'spool'),
      env: 'inherit',
      noninteractive: true,
      max_concurrent_jobs: 4,
      spool_max_bytes: 64 * 1024 * 1024,
      ...this.settings,
    };
    return {
      socketPath: launch.socket_path,
      daemon: { version: VERSION, stateFolder: this.state },
      launch: {
        execPath: process.execPath,
        args: [MAIN, JSON.stringify(launch)],
        env: { PATH: process.env['PATH'] ?? '', HOME: this.state },
        cwd: '/',
        logPath: join(this.state, 'runner.log'),
      },
    };
  }

  async close(): Promise<void> {
    for (const child of this.doomed) child.kill('SIGKILL');
    const [last, ...earlier] = this.daemons.splice(0).reverse();
    await Promise.all(earlier.map(({ link }) => link.stop('leave')));
    await last?.link.stop('shutdown');
    rmSync(this.state, { recursive: true, force: true });
    rmSync(this.projectPath, { recursive: true, force: true });
  }

  /** Whether a command has written a whole line to a file of the project. */
  has(file: string): boolean {
    const path = join(this.projectPath, file);
    return existsSync(path) && readFileSync(path, 'utf8').endsWith('\n');
  }

  /** Whether a Runner's record of what it started, which its successor reads, holds a text: a Job's id, say. */
  isNoted(text: string): boolean {
    const spool = join(this.state, 'spool');
    return readdirSync(spool)
      .map((life) => join(spool, life, 'groups.jsonl'))
      .some((record) => existsSync(record) && readFileSync(record, 'utf8').includes(text));
  }

  /** The lines that commands appended to a file of the project. */
  lines(file: string): string[] {
    return readFileSync(join(this.projectPath, file), 'utf8').split('\n').filter(Boolean);
  }
}

export function projectAt(path: string, name: string): ResolvedProject {
  const { dev, ino } = statSync(path, { bigint: true });
  return {
    id: `agent:local:${name}` as ProjectId,
    name,
    clientId: 'local',
    path,
    rootFingerprint: projectRootFingerprint({ realpath: path, dev, ino }),
    allowPatch: true,
    revision: 1,
  };
}

export function sessionOn(project: ResolvedProject, executionContext: SessionExecutionContext = {}): SessionView {
  return {
    sessionId: `wc_sess_${randomBytes(12).toString('base64url')}` as SessionId,
    ownerFingerprint: 'f' as AuthorityFingerprint,
    project: project.id,
    title: null,
    mode: 'normal',
    guards: { deny_write_tools: false, deny_shell_tools: false },
    executionContext,
    lifecycle: 'active',
    createdAt: 0,
    updatedAt: 0,
  };
}

function daemonSide(link: RunnerLink, project: ResolvedProject): DaemonSide {
  const projects: Pick<ProjectPort, 'isVisible' | 'resolve'> = {
    isVisible: (id) => !id.includes('hidden'),
    resolve: (selector) =>
      selector === project.id || selector === project.name ? { project } : { failure: failure('unknown_project', 'No such project.') },
  };
  const epoch = randomBytes(4).toString('hex');
  const domains: Domain[] = [createExecutionDomain({ runner: link, epoch }), createValidationDomain({ runner: link, epoch, sessions: NO_SESSIONS }), createJobsDomain({ runner: link, projects, epoch })];
  const tools = new Map(domains.flatMap((domain) => domain.tools).map((tool) => [tool.definition.name, tool]));
  const find = (name: string): Tool => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };
  const call = async (name: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<HandlerOutcome> => {
    const tool = find(name);
    try {
      const needsProject = tool.definition.project === 'required';
      const input = parseArguments(tool, needsProject ? { project: project.id, ...args } : args);
      return await tool.run(input, contextOf(project, options));
    } catch (error) {
      if (error instanceof CallRefused) return { result: error.failure };
      throw error;
    }
  };
  return {
    link,
    call,
    tool: find,
    output: async (name, args, options) => {
      const { result } = await call(name, args, options);
      if (!result.success) throw new Error(`${name}: ${result.error} ${JSON.stringify(result.output)}`);
      return result.output;
    },
  };
}

function contextOf(project: ResolvedProject, options: CallOptions): CallContext {
  return {
    callId: randomUUID() as CallId,
    invocationId: `wc_inv_${randomBytes(16).toString('hex')}` as InvocationId,
    adapter: 'http',
    principal: {
      credential: 'local_owner',
      userId: 'uid:0',
      oauthClientId: null,
      authority: { kind: 'local-owner', stableId: '0' },
      fingerprint: 'f' as AuthorityFingerprint,
      principalKey: 'p',
      scopes: new Set(),
    },
    window: null,
    session: null,
    recorder: null,
    recorderProject: null,
    project,
    signal: new AbortController().signal,
    disconnected: new AbortController().signal,
    environment: null,
    stdinPipe: null,
    wantsProgress: false,
    progress: (_event: Progress) => undefined,
    answerWithinMs: null,
    ...options,
  };
}
