import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DaemonClient } from '../../client/index.js';
import { EXIT, packageRoot } from '../../client/index.js';
import { stableNode } from '../../client/mcp-clients/index.js';
import { systemdUnit, UNIT_NAME } from '../../client/service/index.js';
import { CommandFailure } from '../framework/command-failure.js';
import { Flags } from '../framework/oclif.js';
import { ServiceCommand } from '../framework/service-command.js';

/** How long a new service may take until its daemon answers, in milliseconds. */
const ANSWERS_WITHIN_MS = 20_000;
const POLL_MS = 50;

/** `wc daemon install`: a daemon that runs already is left alone, and with it its Jobs. */
export default class DaemonInstallCommand extends ServiceCommand {
  static override summary = 'Have systemd start the daemon with your session and after a crash.';
  static override description = 'Writes a user unit. Where there is no systemd, --print shows what another service manager has to run.';
  static override flags = { print: Flags.boolean({ summary: 'Print the unit, and change nothing.' }) };

  async run(): Promise<number> {
    const { flags } = await this.parse(DaemonInstallCommand);
    const client = await this.client({ autostart: false });
    const unit = systemdUnit({ node: stableNode(process.execPath, this.env['PATH']), cli: join(packageRoot(), 'dist', 'cli', 'wc.cjs'), stateFolder: client.stateFolder });
    if (flags.print) {
      this.print(flags.json ? JSON.stringify({ unit }) : unit);
      return EXIT.success;
    }
    return this.orRefuse(async (service) => {
      await service.refuseWithoutSystemd();
      const written = await service.write(unit);
      const running = await client.find();
      if (running === null) {
        await service.start();
        await this.awaitDaemon(client);
      }
      const lingers = await service.lingers();
      if (flags.json) this.print(JSON.stringify({ file: service.path, written, started: running === null, lingers }));
      else {
        this.print(`${written ? 'Written' : 'There already'}: ${service.path}`);
        this.print(running === null ? 'The daemon runs as a service.' : `The daemon that runs (pid ${running.pid}) is left as it is; the service takes over after \`wc daemon stop && systemctl --user start ${UNIT_NAME}\`, or with your next session.`);
        if (lingers === false) this.print('It ends with your last login; `loginctl enable-linger` lets it go on.');
      }
      return EXIT.success;
    });
  }

  private async awaitDaemon(client: DaemonClient): Promise<void> {
    const deadline = performance.now() + ANSWERS_WITHIN_MS;
    while ((await client.find()) === null) {
      if (performance.now() > deadline) throw new CommandFailure('The service was started, and no daemon answers.', EXIT.refused, `See \`systemctl --user status ${UNIT_NAME}\` and \`wc daemon logs\`.`);
      await delay(POLL_MS);
    }
  }
}
