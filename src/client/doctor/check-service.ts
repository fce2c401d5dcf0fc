import { existsSync } from 'node:fs';
import { UserService, type ServiceInputs } from '../service/user-service.js';
import { broken, ok, sentence, warning, type Finding } from './finding.js';

/** The unit of `wc daemon install`, where there is one. */
export async function checkService(inputs: ServiceInputs, stateFolder: string): Promise<Finding> {
  const service = new UserService(inputs);
  try {
    const unit = await service.installed();
    if (unit === null) return ok('service', 'none; any command starts the daemon when none runs');
    const programs = [...(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '').matchAll(/"?(\/[^"\s]+)"?/g)].map((match) => match[1] ?? '');
    const gone = programs.find((program) => !existsSync(program));
    if (gone !== undefined) return broken('service', `${service.path} starts ${gone}, which is not there`, 'Write it anew: wc daemon install');
    if (!unit.includes(`WC_HOME=${stateFolder}"`)) return warning('service', `${service.path} is about another state folder than this terminal's (${stateFolder})`, 'If they shall share one: wc daemon install');
    if ((await service.lingers()) === false) return warning('service', `${service.path}; it ends with your last login`, 'To let it go on: loginctl enable-linger');
    return ok('service', service.path);
  } catch (error) {
    return broken('service', sentence(error), 'Write it anew: wc daemon install');
  }
}
