import { compareVersions } from '../compare-versions.js';
import { findProgram } from '../mcp-clients/find-program.js';
import { broken, ok, sentence, warning, type Finding } from './finding.js';
import { firstLineOf } from './run-program.js';

/** The first Git that takes its configuration from variables, which every call of ours needs. */
const GIT_AT_LEAST = '2.31.0';

/** Programs of the machine that parts of `wc` stand on. */
export function checkPrograms(path: string | undefined): readonly Promise<Finding>[] {
  return [checkGit(path), checkSsh(path), checkTmux(path)];
}

async function checkGit(path: string | undefined): Promise<Finding> {
  const program = findProgram('git', path);
  if (program === null) return broken('git', 'there is no git on PATH', 'Install Git: changes, checkpoints and worktrees stand on it.');
  try {
    const said = await firstLineOf(program, ['--version']);
    const version = /\d+\.\d+(\.\d+)?/.exec(said)?.[0] ?? '0';
    const full = version.split('.').length === 2 ? `${version}.0` : version;
    if (compareVersions(full, GIT_AT_LEAST) >= 0) return ok('git', `${said} at ${program}`);
    return broken('git', `${said} at ${program}`, `Install Git ${GIT_AT_LEAST} or newer.`);
  } catch (error) {
    // Apple's stand-in is there before its tools are.
    return broken('git', `${program} does not run: ${sentence(error)}`, 'On macOS: xcode-select --install');
  }
}

async function checkSsh(path: string | undefined): Promise<Finding> {
  const program = findProgram('ssh', path);
  if (program === null) return warning('ssh', 'there is no ssh on PATH', 'Install OpenSSH if Sessions shall work on other hosts (wc ssh).');
  try {
    return ok('ssh', `${await firstLineOf(program, ['-V'])} at ${program}`);
  } catch (error) {
    return warning('ssh', `${program} does not run: ${sentence(error)}`, 'Mend it if Sessions shall work on other hosts (wc ssh).');
  }
}

async function checkTmux(path: string | undefined): Promise<Finding> {
  const program = findProgram('tmux', path);
  if (program === null) return ok('tmux', 'not installed; only what runs coding agents in terminals would use it');
  return firstLineOf(program, ['-V']).then(
    (said) => ok('tmux', `${said} at ${program}`),
    (error: unknown) => warning('tmux', `${program} does not run: ${sentence(error)}`, 'Mend it, or take it off PATH.'),
  );
}
