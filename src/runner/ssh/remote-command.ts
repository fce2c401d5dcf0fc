import { MAX_REMOTE_COMMAND_BYTES } from '../../protocol/runner/ssh.js';
import { quoted } from '../shell/frame-text.js';

/**
 * What runs on the other side around every command (spec 03 §11). `ssh`'s own exit code
 * says too little: 255 is the program's own, or a connection that broke. So a POSIX sh
 * enters the folder, says on descriptor 8, a copy of standard error, that it starts, runs
 * the command as its child, ends what the command left in its group, and says how it ended.
 *
 * $1 token, $2 shell (sh, bash or nothing), $3 folder (nothing is the login folder),
 * $4 the command. It ignores nothing on behalf of the command: a trap with a command is
 * reset in children. A bash must not read the start file that the login shell has read.
 */
const wrapper = (program: string): string => [
  'exec 8>&2;t=$1;k=$2;d=$3;c=$4;n=;unset CDPATH',
  'case $d in "")d=.;;"~"|"~/"*)d=$HOME${d#"~"};;-*)d=./$d;;esac',
  'cd -P -- "$d" 2>/dev/null||{ printf "\\0%s\\0cwd\\0" "$t" >&8;exit 125;}',
  'if [ "$k" != sh ];then if command -v bash >/dev/null 2>&1;then k=bash;n="--noprofile --norc"',
  'elif [ "$k" = bash ];then printf "\\0%s\\0shell\\0" "$t" >&8;exit 127',
  'else k=sh;fi;fi',
  'trap : TERM INT HUP',
  'printf "\\0%s\\0start\\0%s\\0%s\\0%s\\0" "$t" "$$" "$k" "$PWD" >&8',
  `${program} 8>&-;s=$?`,
  '{ if read -r x </proc/$$/stat;then x=${x##*\\) };set -- $x;[ "$3" != "$$" ]||kill -TERM 0;fi;} 2>/dev/null',
  'printf "\\0%s\\0exit\\0%s\\0" "$t" "$s" >&8;exit "$s"',
].join(';');

/** The command as text of a shell of its own. */
const COMMAND = wrapper('"$k" $n -c -- "$c"');
/** A shell that reads its commands from standard input. */
const SHELL = wrapper('"$k" $n');

export interface RemoteProgram {
  readonly token: string;
  /** Null is a shell that reads its commands from standard input. */
  readonly command: string | null;
  readonly shell: 'sh' | 'bash' | null;
  /** Null is the login folder. */
  readonly cwd: string | null;
}

/** The command line for the login shell of the other side, or null when it is longer than the wire allows. */
export function remoteCommand({ token, command, shell, cwd }: RemoteProgram): string | null {
  const program = command === null ? SHELL : COMMAND;
  const line = `exec /bin/sh -c ${quoted(program)} wc ${token} ${quoted(shell ?? '')} ${quoted(cwd ?? '')} ${quoted(command ?? '')}`;
  return Buffer.byteLength(line) > MAX_REMOTE_COMMAND_BYTES ? null : line;
}
