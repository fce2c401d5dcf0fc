import { EXIT } from '../../client/index.js';
import { ServiceCommand } from '../framework/service-command.js';

/** `wc daemon uninstall`. */
export default class DaemonUninstallCommand extends ServiceCommand {
  static override summary = 'Take the service of `wc daemon install` away; a daemon that runs goes on.';

  async run(): Promise<number> {
    const { flags } = await this.parse(DaemonUninstallCommand);
    return this.orRefuse(async (service) => {
      const removed = await service.remove();
      if (flags.json) this.print(JSON.stringify({ file: service.path, removed }));
      else this.print(removed ? `Removed: ${service.path}\nA daemon that runs goes on; \`wc daemon stop\` ends it.` : 'There is no service.');
      return EXIT.success;
    });
  }
}
