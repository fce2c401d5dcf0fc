import { describe, expect, test } from 'vitest';
import { parseConfig, runnerSettings } from '../../src/daemon/config.js';

const settingsOf = (runner: object): object => runnerSettings(parseConfig(JSON.stringify({ runner }), 'config.json'));
const refusal = (runner: object): string => {
  try {
    settingsOf(runner);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

describe("the Runner's part of config.json", () => {
  test('nothing set: raw programs are allowed, nothing else binds or adds', () => {
    expect(settingsOf({})).toEqual({
      allow_cwd_anywhere: false,
      allow_raw_shell: true,
      path_prepend: [],
      shell: { env: {} },
      profiles: {},
      project_profiles: {},
      max_shells: 8,
      shell_idle_secs: 1_800,
      ssh: { resources: {} },
    });
  });

  test('what is set reaches the Runner, and nothing of the rest of the configuration does', () => {
    const runner = {
      allowed_roots: ['/work'],
      allow_cwd_anywhere: true,
      allow_raw_shell: false,
      path_prepend: ['/opt/bin'],
      shell: { env: { A: '1' } },
      profiles: { node: { environment_mode: 'isolated', env: { B: '2' }, init_script: 'export C=3' } },
      default_profile: 'node',
      project_profiles: { 'agent:local:app': 'node' },
      max_shells: 2,
      shell_idle_secs: 60,
      ssh: { resources: {} },
    };
    expect(settingsOf({ ...runner, max_concurrent_jobs: 2, recovery_secs: 5 })).toEqual(runner);
  });

  test.each([
    [{ allow_raw_shel: false }, '"runner.allow_raw_shel": there is no such key'],
    [{ shell: { environment: {} } }, '"runner.shell.environment": there is no such key'],
    [{ profiles: { a: { mode: 'isolated' } } }, '"runner.profiles.a.mode": there is no such key'],
    [{ default_profile: 'gone' }, '"runner.default_profile": there is no profile "gone"'],
    [{ project_profiles: { 'agent:local:app': 'gone' } }, '"runner.project_profiles.agent:local:app": there is no profile "gone"'],
    [{ profiles: {}, default_profile: 'constructor' }, '"runner.default_profile": there is no profile "constructor"'],
  ])('%o refuses the start by name', (runner, message) => {
    expect(refusal(runner)).toContain(message);
  });

  test.each([
    [{ path_prepend: ['relative'] }, 'runner.path_prepend.0'],
    [{ path_prepend: ['/two:/paths'] }, 'runner.path_prepend.0'],
    [{ allowed_roots: ['~'] }, 'runner.allowed_roots.0'],
    [{ shell: { env: { 'A=B': '1' } } }, 'runner.shell.env.A=B'],
    [{ profiles: { '../a': {} } }, 'runner.profiles.../a'],
    [{ profiles: { a: { environment_mode: 'clean' } } }, 'runner.profiles.a.environment_mode'],
    [{ profiles: { a: { init_script: '' } } }, 'runner.profiles.a.init_script'],
    [{ recovery_secs: 4 }, 'runner.recovery_secs'],
    [{ recovery_secs: 3_601 }, 'runner.recovery_secs'],
  ])('%o is refused at its key', (runner, key) => {
    expect(refusal(runner)).toContain(`"${key}"`);
  });
});
