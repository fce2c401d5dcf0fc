import { isDeepStrictEqual } from 'node:util';
import { configureMethod, runnerSettingsSchema, type RunnerSettings } from '../../protocol/runner/settings.js';
import { serve, type RunnerService } from '../request.js';

/** The settings in force. Whoever starts something reads them anew. */
export class CurrentSettings {
  private settings: RunnerSettings = runnerSettingsSchema.parse({});
  private replacements = 0;

  get value(): RunnerSettings {
    return this.settings;
  }

  /** Names what is in force; another one means other settings. */
  get generation(): number {
    return this.replacements;
  }

  /** Puts other settings in force and gives back their generation; the same ones change nothing. */
  replace(settings: RunnerSettings): number {
    if (!isDeepStrictEqual(settings, this.settings)) {
      this.settings = settings;
      this.replacements += 1;
    }
    return this.replacements;
  }

  /** How the daemon replaces them. */
  service(): RunnerService {
    return serve(configureMethod, (settings) => Promise.resolve({ generation: this.replace(settings) }));
  }
}
