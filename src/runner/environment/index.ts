import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { StartMarks } from '../jobs/start-marks.js';
import { CurrentSettings } from '../policy/current-settings.js';
import { isRefusal } from '../request.js';
import { findBash, SH } from '../script/shells.js';
import { askLoginShell } from './ask-login-shell.js';
import { childEnvironment, type Environment } from './child-environment.js';
import { noninteractive, type Noninteractive } from './noninteractive.js';
import { PreparedEnvironments, type EnvironmentPlace, type PreparedEnvironment } from './prepared-environments.js';
import type { UserAccount } from './session-variables.js';

export type { Environment } from './child-environment.js';
export type { EnvironmentPlace } from './prepared-environments.js';

/** How long the user's shell may take to answer (spec 00, decision 30). */
const ASK_WITHIN_MS = 10_000;

export interface EnvironmentOptions {
  /** `login` asks the user's shell once; `inherit` takes the Runner's own. */
  readonly from: 'login' | 'inherit';
  /** Whether children are kept from asking questions. */
  readonly noninteractive: boolean;
  /** What is put on top of the base; without them, nothing is. */
  readonly settings?: CurrentSettings;
  /** How long a profile's init script may take. */
  readonly initWithinMs?: number;
  /** Where an init script is marked while it runs, so that it does not outlive a Runner that is killed. */
  readonly marks?: Pick<StartMarks, 'begin'>;
  readonly inherited?: Readonly<Record<string, string | undefined>>;
  readonly user?: UserAccount;
  readonly askWithinMs?: number;
  /** Called with the user's file creation mask, once it is known and before anybody gets an environment. */
  readonly onUmask?: (umask: number) => void;
}

/** What a persistent shell starts with. */
export interface ShellEnvironment {
  readonly variables: Record<string, string>;
  /** Null when its profile has none. */
  readonly initScript: string | null;
}

/** Where the base environment came from. */
export interface BaseEnvironment {
  readonly source: 'login' | 'inherit' | 'inherit_after_failure';
  readonly variables: Environment;
  /** The user's file creation mask; null when it is not known. */
  readonly umask: number | null;
  readonly shell: string | null;
  /** Why the user's shell gave no answer. */
  readonly failure: string | null;
}

/**
 * What children run in. The user's shell is asked once a life, the first time anybody
 * needs it; the settings in force are put on top of its answer.
 */
export class ChildEnvironments {
  private asked: Promise<BaseEnvironment> | null = null;
  private readonly noninteractive: Noninteractive | null;
  private readonly prepared: PreparedEnvironments;
  /** Most children have no caller's environment and share all but their own variables. */
  private readonly shared = new WeakMap<PreparedEnvironment, Environment>();

  constructor(private readonly options: EnvironmentOptions) {
    this.noninteractive = options.noninteractive ? noninteractive(failingProgram()) : null;
    const { settings = new CurrentSettings(), initWithinMs, marks } = options;
    this.prepared = new PreparedEnvironments({
      base: async () => (await this.base()).variables,
      noninteractive: this.noninteractive,
      settings,
      findShell: async (path) => (await findBash(path)) ?? SH,
      ...(initWithinMs === undefined ? {} : { initWithinMs }),
      ...(marks === undefined ? {} : { marks }),
    });
  }

  /** The user's own environment, which every child's is made from. */
  base(): Promise<BaseEnvironment> {
    this.asked ??= this.ask().then((base) => {
      if (base.umask !== null) this.options.onUmask?.(base.umask);
      return base;
    });
    return this.asked;
  }

  /**
   * The environment of a command of a project, its profile included. A refusal says that
   * the profile could not be prepared, and nothing may be started.
   *
   * @param caller the caller's own variables, for this one execution
   * @param own the execution's own variables; they win over everything
   */
  async forCommand(place: EnvironmentPlace, caller: Environment | null, own: Environment): Promise<Record<string, string> | Refusal> {
    const prepared = await this.prepared.of(place);
    return isRefusal(prepared) ? prepared : this.child(prepared, caller, own);
  }

  /**
   * The environment of a project's persistent shell, and the init script that the shell
   * runs itself, so that what the script defines is there too.
   */
  async forShell(project: string, caller: Environment | null, own: Environment): Promise<ShellEnvironment | Refusal> {
    const before = await this.prepared.beforeInit({ project });
    return isRefusal(before) ? before : { variables: this.child(before.prepared, caller, own), initScript: before.initScript };
  }

  /** The environment of a child that is no project's command: git, ripgrep. */
  async forChild(caller: Environment | null, own: Environment): Promise<Record<string, string>> {
    return this.child(await this.prepared.withoutProfile(), caller, own);
  }

  get keepsFromAsking(): boolean {
    return this.noninteractive !== null;
  }

  /** Ends what is being prepared. */
  close(): void {
    this.prepared.close();
  }

  private child(prepared: PreparedEnvironment, caller: Environment | null, own: Environment): Record<string, string> {
    const { noninteractive } = this;
    if (caller !== null && !prepared.isolated) return childEnvironment({ base: prepared.variables, caller, noninteractive, own });
    let shared = this.shared.get(prepared);
    if (shared === undefined) {
      shared = childEnvironment({ base: prepared.variables, caller: null, noninteractive, own: {} });
      this.shared.set(prepared, shared);
    }
    return { ...shared, ...own };
  }

  private async ask(): Promise<BaseEnvironment> {
    const { from, inherited = process.env, user = account(inherited), askWithinMs = ASK_WITHIN_MS } = this.options;
    const own = present(inherited);
    if (from === 'inherit') return { source: 'inherit', variables: own, umask: null, shell: null, failure: null };
    try {
      const { environment, umask } = await askLoginShell(user, inherited, askWithinMs);
      return { source: 'login', variables: environment, umask, shell: user.shell, failure: null };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      return { source: 'inherit_after_failure', variables: own, umask: null, shell: user.shell, failure };
    }
  }
}

function account(inherited: Readonly<Record<string, string | undefined>>): UserAccount {
  try {
    const { username, homedir, shell } = userInfo();
    return { username, homedir, shell: shell === null || shell === '' ? SH : shell };
  } catch {
    // In a container the uid may have no account.
    const { USER = 'unknown', HOME = '/', SHELL = SH } = inherited;
    return { username: USER, homedir: HOME, shell: SHELL };
  }
}

function present(variables: Readonly<Record<string, string | undefined>>): Environment {
  return Object.fromEntries(Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** `false` lies in different places on different systems. */
function failingProgram(): string {
  for (const path of ['/bin/false', '/usr/bin/false']) {
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Look at the next one.
    }
  }
  return 'false';
}
