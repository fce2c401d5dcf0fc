import { randomBytes } from 'node:crypto';
import type { Refusal } from '../../protocol/runner/project-root.js';
import type { Profile } from '../../protocol/runner/settings.js';
import { notStarted } from '../jobs/not-started.js';
import { EXECUTION_VARIABLE } from '../jobs/proven-group.js';
import type { StartMarks } from '../jobs/start-marks.js';
import type { CurrentSettings } from '../policy/current-settings.js';
import { isRefusal } from '../request.js';
import { childEnvironment, type Environment } from './child-environment.js';
import { runInitScript } from './init-script.js';
import { isolatedEnvironment } from './isolated-environment.js';
import type { Noninteractive } from './noninteractive.js';
import { profileOf, type ChosenProfile } from './profile-of.js';

/** Environments that are kept; one more and the oldest is prepared anew when it is needed. */
const MAX_KEPT = 256;

/** A project that something is started for. */
export interface EnvironmentPlace {
  readonly project: string;
  /** The project's root, absolute and resolved. */
  readonly root: string;
}

/** What the children of a place start from, whoever calls. */
export interface PreparedEnvironment {
  readonly variables: Environment;
  /** Whether the caller's own environment stays out. */
  readonly isolated: boolean;
}

/** What a shell starts from, and what it has to run before anything else. */
export interface EnvironmentBeforeInit {
  readonly prepared: PreparedEnvironment;
  readonly initScript: string | null;
}

export interface PreparedEnvironmentsOptions {
  readonly base: () => Promise<Environment>;
  readonly noninteractive: Noninteractive | null;
  readonly settings: CurrentSettings;
  /** The shell that runs init scripts, looked for on a PATH. */
  readonly findShell: (path: string | undefined) => Promise<string>;
  readonly initWithinMs?: number;
  readonly marks?: Pick<StartMarks, 'begin'>;
}

/**
 * The environments of the settings in force: the base, the folders in front of its PATH,
 * the variables for every command, and the project's profile (spec 03 §9). Each is
 * prepared once a generation, project and profile; a preparation that failed is not kept,
 * since its reason may go away.
 */
export class PreparedEnvironments {
  private generation = -1;
  private plain: Promise<PreparedEnvironment> | null = null;
  private readonly kept = new Map<string, Promise<PreparedEnvironment | Refusal>>();
  private readonly closing = new AbortController();

  constructor(private readonly options: PreparedEnvironmentsOptions) {}

  /** The environment without any profile. */
  withoutProfile(): Promise<PreparedEnvironment> {
    this.forgetOtherGenerations();
    this.plain ??= this.layered(null);
    return this.plain;
  }

  /** The environment of a project's commands; a refusal when its profile cannot be prepared. */
  of(place: EnvironmentPlace): Promise<PreparedEnvironment | Refusal> {
    this.forgetOtherGenerations();
    const chosen = profileOf(this.options.settings.value, place.project);
    if (chosen === null) return this.withoutProfile();
    const key = [chosen.name, place.project, place.root].join('\0');
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const preparing = this.prepare(place, chosen);
    this.keep(key, preparing);
    return preparing;
  }

  /** The same before the profile's init script, for a shell that runs the script itself. */
  async beforeInit({ project }: Pick<EnvironmentPlace, 'project'>): Promise<EnvironmentBeforeInit | Refusal> {
    this.forgetOtherGenerations();
    const chosen = profileOf(this.options.settings.value, project);
    if (chosen === null) return { prepared: await this.withoutProfile(), initScript: null };
    if (chosen.profile === null) return missingProfile(chosen.name);
    return { prepared: await this.layered(chosen.profile), initScript: chosen.profile.init_script ?? null };
  }

  /** Ends what is being prepared; nothing may be asked any more. */
  close(): void {
    this.closing.abort();
  }

  private forgetOtherGenerations(): void {
    const { generation } = this.options.settings;
    if (generation === this.generation) return;
    this.generation = generation;
    this.plain = null;
    this.kept.clear();
  }

  private keep(key: string, preparing: Promise<PreparedEnvironment | Refusal>): void {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(key, preparing);
    const forget = (): void => {
      if (this.kept.get(key) === preparing) this.kept.delete(key);
    };
    preparing.then((prepared) => {
      if (isRefusal(prepared)) forget();
    }, forget);
  }

  private async prepare(place: EnvironmentPlace, { name, profile }: ChosenProfile): Promise<PreparedEnvironment | Refusal> {
    if (profile === null) return missingProfile(name);
    const layered = await this.layered(profile);
    if (profile.init_script === undefined) return layered;
    try {
      return { ...layered, variables: await this.init(profile.init_script, place.root, layered.variables) };
    } catch (error) {
      return initFailed(name, error instanceof Error ? error.message : String(error));
    }
  }

  private async layered(profile: Profile | null): Promise<PreparedEnvironment> {
    const { path_prepend: folders, shell } = this.options.settings.value;
    const base = await this.options.base();
    const isolated = profile?.environment_mode === 'isolated';
    return {
      variables: { ...prepended(isolated ? isolatedEnvironment(base) : base, folders), ...shell.env, ...profile?.env },
      isolated,
    };
  }

  private async init(script: string, root: string, variables: Environment): Promise<Environment> {
    const { noninteractive, findShell, initWithinMs, marks } = this.options;
    const id = `wc_init_${randomBytes(16).toString('hex')}`;
    const env = childEnvironment({ base: variables, caller: null, noninteractive, own: { PWD: root, [EXECUTION_VARIABLE]: id } });
    const shell = await findShell(env['PATH']);
    const unmark = marks?.begin(id);
    try {
      const { [EXECUTION_VARIABLE]: _itsOwn, ...left } = await runInitScript({
        shell,
        script,
        root,
        env,
        signal: this.closing.signal,
        ...(initWithinMs === undefined ? {} : { withinMs: initWithinMs }),
      });
      return left;
    } finally {
      unmark?.();
    }
  }
}

/** The environment with some folders in front of its PATH. */
function prepended(environment: Environment, folders: readonly string[]): Environment {
  if (folders.length === 0) return environment;
  const path = environment['PATH'];
  return { ...environment, PATH: [...folders, ...(path === undefined || path === '' ? [] : [path])].join(':') };
}

function missingProfile(profile: string): Refusal {
  return notStarted(
    'capability_unavailable',
    'capability_unavailable',
    `The project's commands want the profile "${profile}", and runner.profiles has none of that name; add it, or name another one.`,
    { reason_code: 'profile_missing', profile },
  );
}

function initFailed(profile: string, reason: string): Refusal {
  return notStarted(
    'not_started',
    'script_setup_failed',
    `The init script of the profile "${profile}" ${reason}; run it by hand at the project's root to see why.`,
    { reason_code: 'profile_init_failed', profile },
  );
}
