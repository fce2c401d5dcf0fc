import type { RemoteTermination } from '../../protocol/runner/ssh.js';
import { quoted } from '../shell/frame-text.js';
import type { RemoteConnection } from './connection.js';

/** How long the other side looks for the end of a command's processes (spec 03 §11). */
const LOOKS_MS = 2_000;
const LOOK_EVERY_MS = 50;
/** What the way there and back may take besides. */
const WAY_MS = 1_000;

/**
 * Ends the session and the group that a wrapper leads, by the pid that it has said, and
 * looks until nothing of them lives, zombies aside. A pid whose process does not carry
 * the wrapper's token, or leads no group, is somebody else's, and is left alone.
 *
 * $1 pid, $2 token, $3 looks between TERM and KILL, $4 looks in all. Prints `gone N` with
 * the number of processes that lived at first, or `left`.
 */
const TERMINATOR = String.raw`
alive() {
  n=0; l=
  if [ -r /proc/self/stat ]; then
    for f in /proc/[0-9]*/stat; do
      { read -r x <"$f"; } 2>/dev/null || continue
      x=${'$'}{x##*\) }; set -- $x
      case $1 in Z|X) continue;; esac
      if [ "$3" = "$g" ] || [ "$4" = "$g" ]; then n=$((n+1)); l="$l -$3"; fi
    done
  else
    for p in $(ps -A -o pgid= -o stat= | while read -r a b; do case $b in Z*) ;; *) [ "$a" = "$g" ] && echo "$a";; esac; done); do
      n=$((n+1)); l="$l -$p"
    done
  fi
}
g=$1; t=$2; k=$3; m=$4
a=$(ps -p "$g" -o args= 2>/dev/null || tr '\0' ' ' <"/proc/$g/cmdline" 2>/dev/null)
case $a in ''|*"$t"*) ;; *) echo left; exit;; esac
alive; b=$n; i=0; s=TERM
while [ "$n" -gt 0 ] && [ "$i" -lt "$m" ]; do
  [ "$i" -lt "$k" ] || s=KILL
  if [ "$i" -eq 0 ] || [ "$s" = KILL ]; then kill -s "$s" -- $l 2>/dev/null; fi
  sleep 0.05 2>/dev/null || sleep 1
  i=$((i+1)); alive
done
if [ "$n" -eq 0 ]; then echo "gone $b"; else echo left; fi
`;

/** What is known of a remote command's processes after they were to end. */
export interface RemoteEnd {
  readonly termination: RemoteTermination;
  /** How many there were; 0 where that is not known. */
  readonly members: number;
}

/**
 * Ends the processes of a remote command over a channel of its own, and says whether they
 * were seen to be gone.
 *
 * @param graceMs from SIGTERM to SIGKILL
 */
export async function terminateRemote(connection: RemoteConnection, remote: { readonly pid: number; readonly token: string }, graceMs: number): Promise<RemoteEnd> {
  const looks = [graceMs, LOOKS_MS].map((ms) => Math.ceil(ms / LOOK_EVERY_MS));
  const line = `exec /bin/sh -c ${quoted(TERMINATOR)} wc ${remote.pid} ${remote.token} ${looks.join(' ')}`;
  const said = /^gone (\d+)$/m.exec((await connection.ask(line, LOOKS_MS + WAY_MS)) ?? '');
  return said === null ? { termination: 'unverified', members: 0 } : { termination: 'confirmed', members: Number(said[1]) };
}

/**
 * Interrupts what a wrapper leads, over a channel of its own: the group's own programs
 * say whether that ends them.
 */
export async function interruptRemote(connection: RemoteConnection, remote: { readonly pid: number; readonly token: string }, withinMs: number): Promise<void> {
  const script = 'a=$(ps -p "$1" -o args= 2>/dev/null || tr "\\0" " " </proc/$1/cmdline); case $a in *"$2"*) kill -s INT -- "-$1";; esac';
  await connection.ask(`exec /bin/sh -c ${quoted(script)} wc ${remote.pid} ${remote.token}`, withinMs);
}
