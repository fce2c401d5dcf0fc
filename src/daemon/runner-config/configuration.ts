import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { failure, type Failure } from '../../protocol/tool-result.js';
import type { RunnerSettings } from '../../protocol/runner/settings.js';
import { parseConfig, readConfig, runnerSettings, type Config } from '../config.js';
import { OneAtATime } from '../one-at-a-time.js';
import type { RunnerAnswer } from '../runner-link/index.js';
import { StartRefused } from '../state-folder.js';

/** How settings come into force: the Runner's own generation of them, or why they did not. */
export type ApplySettings = (settings: RunnerSettings) => Promise<RunnerAnswer<{ readonly generation: number }>>;

export interface ConfigurationDeps {
  /** `config.json`. */
  readonly path: string;
  /** What the daemon was started with. */
  readonly started: Config;
  readonly apply: ApplySettings;
}

/** What the file holds now. */
export type Look = { readonly config: Config } | { readonly problem: string };

/** What came of putting the file's settings in force. */
export type Reload = { readonly generation: number; readonly changed: boolean; readonly restartNeeded: boolean } | { readonly failure: Failure };

/** A document of the file as it stands, with whatever keys it has. */
export type Document = { readonly [key: string]: unknown };

/**
 * The configuration file while the daemon runs: it is read anew on demand, and what the
 * Runner goes by is put in force without a restart (spec 03 §12). A file that is not
 * valid changes nothing.
 */
export class RunnerConfiguration {
  private readonly turns = new OneAtATime();
  private inForce: RunnerSettings;

  constructor(private readonly deps: ConfigurationDeps) {
    this.inForce = runnerSettings(deps.started);
  }

  /** What the Runner goes by, or will when it is reached. */
  get settings(): RunnerSettings {
    return this.inForce;
  }

  look(): Look {
    try {
      return { config: readConfig(this.deps.path) };
    } catch (error) {
      if (error instanceof StartRefused) return { problem: error.message };
      throw error;
    }
  }

  /** Whether a configuration differs from what is in force; and whether some of that waits for a restart. */
  compare(config: Config): { readonly changed: boolean; readonly restartNeeded: boolean } {
    const settings = runnerSettings(config);
    return { changed: !isDeepStrictEqual(settings, this.inForce), restartNeeded: !isDeepStrictEqual(atStart(config), atStart(this.deps.started)) };
  }

  /** Reads the file and puts its settings in force. */
  reload(): Promise<Reload> {
    return this.turns.run(() => this.putInForce());
  }

  /**
   * Changes the file, and puts it in force. The change sees the document as it stands; the
   * new one is checked as a whole before it replaces the file in one step.
   */
  edit(change: (document: Document) => Document | { readonly failure: Failure }): Promise<Reload> {
    return this.turns.run(async () => {
      const { path } = this.deps;
      const looked = this.look();
      if ('problem' in looked) return { failure: invalid(looked.problem) };
      const changed = change(readDocument(path));
      if (isFailure(changed)) return changed;
      const text = `${JSON.stringify(changed, null, 2)}\n`;
      try {
        parseConfig(text, path);
      } catch (error) {
        if (error instanceof StartRefused) return { failure: invalid(error.message) };
        throw error;
      }
      try {
        replaceFile(path, text);
      } catch (error) {
        return { failure: failure('storage_unavailable', `The configuration could not be written (${(error as NodeJS.ErrnoException).code ?? 'UNKNOWN'}); look at the state folder's disk and permissions.`, { state_changed: false }) };
      }
      return this.putInForce();
    });
  }

  private async putInForce(): Promise<Reload> {
    const looked = this.look();
    if ('problem' in looked) return { failure: invalid(looked.problem) };
    const { changed, restartNeeded } = this.compare(looked.config);
    this.inForce = runnerSettings(looked.config);
    const applied = await this.deps.apply(this.inForce);
    return 'failure' in applied ? applied : { generation: applied.answer.generation, changed, restartNeeded };
  }
}

function isFailure(value: object): value is { readonly failure: Failure } {
  return Object.hasOwn(value, 'failure');
}

/** What only a start reads: everything but the Runner's settings, and those of them that the daemon itself goes by. */
function atStart({ runner, ...rest }: Config): unknown {
  const wire = Object.keys(runnerSettings({ runner, ...rest }));
  return [rest, runner.allowed_roots, Object.fromEntries(Object.entries(runner).filter(([key]) => !wire.includes(key)))];
}

function readDocument(path: string): Document {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Document;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function replaceFile(path: string, text: string): void {
  const fresh = `${path}.${randomBytes(4).toString('hex')}.new`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flush: true });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function invalid(problem: string): Failure {
  return failure('invalid_arguments', `The configuration is not valid, and what was in force stays so: ${problem}.`, { reason_code: 'invalid_configuration', state_changed: false });
}
