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

/**
 * One program, named by its path and with no state of the user's shell in it, marks the
 * end: no function, alias, option or PATH of the user can stand in its way. `-p` keeps a
 * bash that is called sh from taking over exported functions.
 */
const MARK_END =
  '{ /bin/sh -pc \'printf "\\0%s\\0" "$1" >&7; printf "\\0%s\\0" "$1" >&8; { printf "%s\\0%s\\0" "$1" "$2"; pwd -P; printf "\\0"; } >&9\'';

/**
 * The same where there is no descriptor for control: its frame follows the boundary on 8. A
 * line break comes last, since a NUL there could begin a mark of the wrapper around the shell.
 */
const MARK_END_INLINE =
  '{ /bin/sh -pc \'printf "\\0%s\\0" "$1" >&7; { printf "\\0%s\\0%s.\\0%s\\0" "$1" "$1" "$2"; pwd -P; printf "\\0\\n"; } >&8\'';

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
function commandLine(command: string, token: Token, markEnd: string): string {
  return `\\eval ${quoted(command)} </dev/null; ${markEnd} wc ${token} "$?"; } 2>/dev/null\n`;
}

/** A shell with a control descriptor of its own. */
export const LOCAL_FRAMES: FrameText = {
  bootstrap: 'exec 7>&1 8>&2 9>&3 3>&-\n',
  marksShareStream: false,
  controlToken: (token) => token,
  commandText: (command, token) => commandLine(command, token, MARK_END),
};

/** A shell behind a channel that carries two streams and no more. */
export const REMOTE_FRAMES: FrameText = {
  bootstrap: 'exec 7>&1 8>&2\n',
  marksShareStream: true,
  controlToken: (token) => `${token}.`,
  commandText: (command, token) => commandLine(command, token, MARK_END_INLINE),
};

/** What stands at the end of a command's output, on either stream. */
export function boundary(token: Token): Buffer {
  return Buffer.from(`\0${token}\0`);
}

/** Text as one word of a shell. A quote costs four bytes, so that 16,000 of them stay within the 64 KiB of the wire. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
