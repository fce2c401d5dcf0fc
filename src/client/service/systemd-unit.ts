/** What the service's unit is called. */
export const UNIT_NAME = 'webcodex.service';
/** The first line of every unit of ours, by which it is known again. */
export const UNIT_MARK = '# Written by `wc daemon install`; `wc daemon uninstall` removes it.';

export interface UnitInputs {
  /** The Node that runs the daemon, as an absolute path. */
  readonly node: string;
  /** The program of the command line, as an absolute path. */
  readonly cli: string;
  readonly stateFolder: string;
}

/**
 * The systemd user unit of the daemon. The state folder stands in it, since a service does
 * not see the variables that a terminal has. `KillMode=process` leaves the Runner and its
 * Jobs alone when the daemon dies; the next one finds them. An orderly stop ends them too.
 */
export function systemdUnit({ node, cli, stateFolder }: UnitInputs): string {
  return `${UNIT_MARK}
[Unit]
Description=The daemon of wc (webcodex)

[Service]
Type=exec
ExecStart=${[node, cli, 'daemon', 'run'].map(commandWord).join(' ')}
Environment=${quoted(`WC_HOME=${stateFolder}`)}
UMask=0077
KillMode=process
Restart=on-failure
RestartSec=2
TimeoutStopSec=45

[Install]
WantedBy=default.target
`;
}

/** A word of a command line: `$` would begin a variable. */
function commandWord(word: string): string {
  return /^[A-Za-z0-9_/.,:=+-]+$/.test(word) ? word : quoted(word).replaceAll('$', '$$$$');
}

/** A text as systemd reads it: `%` would begin a specifier. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('\n', '\\n')}"`;
}
