import { homedir } from 'node:os';
import { EXIT } from '../../client/index.js';
import { printable } from '../../client/render/index.js';
import { ServiceRefused, UserService } from '../../client/service/index.js';
import { CommandFailure } from './command-failure.js';
import { WcCommand } from './wc-command.js';

/** A command about the daemon as a service. */
export abstract class ServiceCommand extends WcCommand {
  /** Runs `change`; what the service refuses ends the command with one line, exit code 1. */
  protected async orRefuse(change: (service: UserService) => Promise<number>): Promise<number> {
    try {
      return await change(new UserService({ home: this.env['HOME'] || homedir(), platform: process.platform, env: this.env }));
    } catch (error) {
      throw error instanceof ServiceRefused ? new CommandFailure(printable(error.message), EXIT.refused, printable(error.hint)) : error;
    }
  }
}
