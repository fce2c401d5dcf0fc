import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT } from '../../client/index.js';
import { CLIENT_IDS, ConfigBackups, ConfigRefused, type ConfigPlaces, type Scope } from '../../client/mcp-clients/index.js';
import { printable, shellQuote } from '../../client/render/index.js';
import { askYes } from './ask-yes.js';
import { CommandFailure } from './command-failure.js';
import { Args, Flags } from './oclif.js';
import { UsageError } from './usage-error.js';
import { WcCommand } from './wc-command.js';

/** The argument and flags of what changes a client's configuration. */
export const clientArgument = {
  client: Args.string({ description: 'The MCP client.', options: [...CLIENT_IDS], required: true }),
};

export const nameFlag = {
  name: Flags.string({ summary: 'What the server is called there.', default: 'wc', helpValue: 'NAME', parse: (given) => Promise.resolve(serverName(given)) }),
};

/** A name that every client takes: Claude Code refuses others, and some build tool names from it. */
function serverName(given: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(given) && given !== '__proto__') return given;
  throw new UsageError(`--name takes 1 to 64 letters, digits, "_" or "-", not '${given}'.`);
}

export const changeFlags = {
  ...nameFlag,
  project: Flags.boolean({ summary: 'In the configuration of the project around this folder, not in the user\'s.' }),
  yes: Flags.boolean({ char: 'y', summary: 'Go ahead without asking.' }),
  'dry-run': Flags.boolean({ summary: 'Show what would change, and change nothing.' }),
  edit: Flags.boolean({ summary: 'Change the file directly, also where the client has a command for it.' }),
};

/** What is shown before anything changes. */
export interface ShownChange {
  readonly diff: string;
  readonly commands: readonly (readonly string[])[];
}

/** A command about the configurations of MCP clients. It needs no daemon, and starts none. */
export abstract class McpClientCommand extends WcCommand {
  protected places(): ConfigPlaces {
    return { home: this.env['HOME'] || homedir(), platform: process.platform, env: this.env, projectRoot: projectRoot(process.cwd()) };
  }

  protected async backups(): Promise<ConfigBackups> {
    return new ConfigBackups((await this.client()).stateFolder, () => new Date());
  }

  protected scope(flags: { readonly project: boolean }): Scope {
    return flags.project ? 'project' : 'user';
  }

  /** Runs `change`; what a configuration refuses ends the command with one line, exit code 1. */
  protected async orRefuse(change: () => Promise<number>): Promise<number> {
    try {
      return await change();
    } catch (error) {
      throw error instanceof ConfigRefused ? new CommandFailure(printable(error.message), EXIT.refused, printable(error.hint)) : error;
    }
  }

  /** Shows a change and asks for it, unless it was said beforehand. False: nothing is to be done. */
  protected async agreed(change: ShownChange, flags: { readonly yes: boolean; readonly 'dry-run': boolean; readonly json: boolean }): Promise<boolean> {
    if (!flags.json) {
      if (change.diff !== '') this.print(this.painted(change.diff));
      for (const command of change.commands) this.print(`\nby: ${command.map(shellQuote).join(' ')}`);
    }
    if (flags['dry-run']) return false;
    return flags.yes || (await askYes('Write this?'));
  }

  private painted(diff: string): string {
    const style = this.outStyle;
    const lines = printable(diff).split('\n');
    return lines.map((line) => (line.startsWith('+') ? style.good(line) : line.startsWith('-') ? style.bad(line) : style.dim(line))).join('\n');
  }
}

/** The folder of the repository around `folder`, else that folder itself. */
function projectRoot(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return folder;
  }
}
