import { existsSync } from 'node:fs';
import type { Health } from '../../protocol/api.js';
import { VERSION } from '../../protocol/version.js';
import { ClientError } from '../client-error.js';
import { livingLockHolder } from '../lock-holder.js';
import type { ClientState } from '../state.js';
import { broken, ok, warning, type Finding } from './finding.js';

/** What asking for the daemon came to: its health, null where none runs, or why nobody can tell. */
export type DaemonAnswer = Health | null | ClientError;

/** Asks for the daemon; starts none. */
export async function askDaemon(find: () => Promise<Health | null>): Promise<DaemonAnswer> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
}

/** Lock, socket, daemon, Runner and stores. */
export function checkDaemon(state: ClientState, answer: DaemonAnswer): readonly Finding[] {
  if (answer instanceof ClientError) return [broken('daemon', answer.message, answer.hint)];
  return answer === null ? [checkLock(state, null), checkSocket(state, false), ok('daemon', 'none runs; the next command starts one')] : [checkLock(state, answer.pid), checkSocket(state, true), checkVersion(answer), checkRunner(answer), ...checkStores(answer)];
}

function checkLock({ paths }: ClientState, daemonPid: number | null): Finding {
  const holder = livingLockHolder(paths.lockHolder);
  if (holder === null) return ok('lock', daemonPid === null ? 'free' : `held by process ${daemonPid}`);
  if (daemonPid === holder.pid) return ok('lock', `held by the daemon (pid ${holder.pid})`);
  if (daemonPid === null) return broken('lock', `held by process ${holder.pid}, which serves no socket`, `Look at ${paths.log}, end it with kill ${holder.pid}, and try again.`);
  return warning('lock', `process ${daemonPid} answers, and ${paths.lockHolder} names ${holder.pid}`, 'Restart the daemon: wc daemon stop');
}

function checkSocket(state: ClientState, answers: boolean): Finding {
  const path = state.socket();
  if (path === null) return ok('socket', 'none named yet');
  if (answers) return ok('socket', path);
  return ok('socket', existsSync(path) ? `${path}, left behind; the next start replaces it` : `${path}, when a daemon runs`);
}

function checkVersion({ pid, version, started_at: since, calls_in_flight: calls }: Health): Finding {
  const detail = `pid ${pid}, version ${version}, since ${since}`;
  if (version === VERSION) return ok('daemon', detail);
  return warning('daemon', `${detail}; this wc is ${VERSION}`, calls > 0 ? 'An older one is replaced when it is idle.' : 'Restart it: wc daemon stop');
}

function checkRunner({ runner }: Health): Finding {
  if (runner === null) return broken('runner', 'the daemon has no Runner', 'See `wc daemon logs`; runner.log in the state folder says why it ended.');
  const detail = `pid ${runner.pid}, version ${runner.version}`;
  if (runner.version === VERSION) return ok('runner', detail);
  return warning('runner', `${detail}; this wc is ${VERSION}`, 'It serves its Jobs to the end and is replaced then; `wc daemon stop` ends both now.');
}

/** What the daemon says of its stores; one of an older version says nothing. */
function checkStores({ stores }: Health): readonly Finding[] {
  if (stores === undefined) return [];
  const { ledger, audit } = stores;
  return [
    ledger === null ? ok('ledger', 'is written') : broken('ledger', `can not be written: ${ledger}`, 'Free space, or see who holds ledger.db: calls that change a Session are refused until it can be written.'),
    audit === null ? ok('audit', 'is written') : warning('audit', `calls are not being recorded: ${audit}`, 'Calls are not affected. Free audit.db, or move it away: a new one is made.'),
  ];
}
