import { randomUUID } from 'node:crypto';

/*
 * What is written to a shell (spec 03 §10). The shell keeps three private copies of
 * descriptors: 7 for standard output and 8 for standard error, wherever a command may
 * have sent 1 and 2, and 9 for control.
 */

/** A fresh word of 122 random bits that only this command's end is marked with. */
export type Token = string;

export function newToken(): Token {
  return randomUUID().replaceAll('-', '');
}

/** How the end of a command is marked, as the inside of a shell's `{ … }` that is given `$1`, the token, and `$2`, the status. */
interface EndMarks {
  /** Run by a program of its own. */
  readonly byProgram: string;
  /** The same in the shell itself; `$1` and `$2` are not its to use. */
  readonly byShell: (token: Token) => string;
  /** What ends the shell's channel at once when neither could be run. */
  readonly giveUp: string;
}

/** Kept in the shell from a command's end to its mark, and then taken away. */
const STATUS = '__wc_status';

const SEPARATE_MARKS: EndMarks = {
  byProgram: 'printf "\\0%s\\0" "$1" >&7; printf "\\0%s\\0" "$1" >&8; { printf "%s\\0%s\\0" "$1" "$2"; pwd -P; printf "\\0"; } >&9',
  byShell: (token) =>
    `\\command printf "\\0%s\\0" ${token} >&7; \\command printf "\\0%s\\0" ${token} >&8; ` +
    `{ \\command printf "%s\\0%s\\0" ${token} "$${STATUS}"; \\command pwd -P; \\command printf "\\0"; } >&9`,
  giveUp: '\\exec 9>&-',
};

/**
 * The same where there is no descriptor for control: its frame follows the boundary on 8. A
 * line break comes last, since a NUL there could begin a mark of the wrapper around the shell.
 */
const INLINE_MARKS: EndMarks = {
  byProgram: 'printf "\\0%s\\0" "$1" >&7; { printf "\\0%s\\0%s.\\0%s\\0" "$1" "$1" "$2"; pwd -P; printf "\\0\\n"; } >&8',
  byShell: (token) =>
    `\\command printf "\\0%s\\0" ${token} >&7; ` +
    `{ \\command printf "\\0%s\\0%s.\\0%s\\0" ${token} ${token} "$${STATUS}"; \\command pwd -P; \\command printf "\\0\\n"; } >&8`,
  giveUp: '\\exec 8>&-',
};

/**
 * Marks the end by one program that is named by its path, with no state of the user's shell
 * in it: no function, alias, option or PATH of the user can stand in its way, and the folder
 * is where the process really is. `-p` keeps a bash that is called sh from taking over
 * exported functions.
 *
 * A command may have made it impossible to start any program, as by exporting more than the
 * system passes on (126), or by a limit on memory (127). It has ended all the same, and the
 * shell itself says so. Where it can not either, since no descriptor is left, the channel is
 * given up, so that nobody waits for a mark that will not come.
 */
function markEnd({ byProgram, byShell, giveUp }: EndMarks, token: Token): string {
  return (
    `{ ${STATUS}=$?; /bin/sh -pc '${byProgram}' wc ${token} "$${STATUS}" || ` +
    `case $? in 126|127) ${byShell(token)};; esac; \\unset ${STATUS} || :; } 2>/dev/null || ${giveUp}\n`
  );
}

/** How commands are written to a shell, and which token their control frames carry. */
export interface FrameText {
  /** The first line of a shell's life: it puts the private descriptors in their places. */
  readonly bootstrap: string;
  /** Whether the control frame comes on standard error's stream. */
  readonly marksShareStream: boolean;
  controlToken(token: Token): Token;
  commandText(command: string, token: Token): string;
}

/**
 * The line that runs a command: its text, quoted, in one `eval` whose standard input is the
 * null device, so that the command cannot read what follows; then its end. Both are one
 * line, because a bash whose `eval` met a syntax error misreads the start of the next one.
 */
function commandLine(evaluate: string, command: string, token: Token, marks: EndMarks): string {
  return `${evaluate} ${quoted(command)} </dev/null; ${markEnd(marks, token)}`;
}

function localFrames(evaluate: string): FrameText {
  return {
    bootstrap: 'exec 7>&1 8>&2 9>&3 3>&-\n',
    marksShareStream: false,
    controlToken: (token) => token,
    commandText: (command, token) => commandLine(evaluate, command, token, SEPARATE_MARKS),
  };
}

/** A shell with a control descriptor of its own. Only a bash lets a function be called `eval`. */
export const LOCAL_FRAMES: Readonly<Record<'sh' | 'bash', FrameText>> = {
  sh: localFrames('\\eval'),
  bash: localFrames('\\builtin eval'),
};

/** A shell behind a channel that carries two streams and no more. */
export const REMOTE_FRAMES: FrameText = {
  bootstrap: 'exec 7>&1 8>&2\n',
  marksShareStream: true,
  controlToken: (token) => `${token}.`,
  commandText: (command, token) => commandLine('\\eval', command, token, INLINE_MARKS),
};

/** What stands at the end of a command's output, on either stream. */
export function boundary(token: Token): Buffer {
  return Buffer.from(`\0${token}\0`);
}

/** Text as one word of a shell. A quote costs four bytes, so that 16,000 of them stay within the 64 KiB of the wire. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
