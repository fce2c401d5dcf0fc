import type { Environment } from './child-environment.js';

/**
 * What a login session hands down and no start file could say again: who the user is,
 * the languages, and how the session's agents and displays are reached.
 */
const HANDED_DOWN =
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|XDG_[A-Z_]+|WSL_[A-Z_]+|WSLENV|__CF_USER_TEXT_ENCODING)$/;

/** Where systems have their programs, whoever the user is. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface UserAccount {
  readonly username: string;
  readonly homedir: string;
  readonly shell: string;
}

/** The small environment that the user's shell is started in, whoever started the Runner. */
export function sessionVariables(inherited: Readonly<Record<string, string | undefined>>, user: UserAccount): Environment {
  const handedDown: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && HANDED_DOWN.test(name)) handedDown[name] = value;
  }
  return {
    HOME: user.homedir,
    USER: user.username,
    LOGNAME: user.username,
    ...handedDown,
    SHELL: user.shell,
    PATH: SYSTEM_PATH,
    TERM: 'dumb',
  };
}
