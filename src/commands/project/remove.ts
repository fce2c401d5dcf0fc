import { Args, Flags } from '../framework/oclif.js';
import { textOf } from '../../client/render/index.js';
import { WcCommand } from '../framework/wc-command.js';

/**
 * `wc project remove PROJECT`: ends a registration. The revision that the daemon asks for
 * is the one that stands now, unless the person says which one they saw.
 */
export default class ProjectRemoveCommand extends WcCommand {
  static override summary = 'End the registration of a project; its folder and files stay.';
  static override args = { project: Args.string({ description: 'Its id, its name or its short form ~pN.', required: true }) };
  static override flags = {
    'expected-revision': Flags.integer({ summary: 'Only if this is still its revision.', min: 1 }),
  };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(ProjectRemoveCommand);
    let revision = flags['expected-revision'];
    if (revision === undefined) {
      const listed = await this.callTool('list_projects', { project: args.project }, { repeatable: true });
      if (!listed.success) return this.finish(listed, flags.json, () => '');
      const [view] = listed.output['projects'] as readonly { readonly revision: number }[];
      revision = view?.revision;
    }
    const result = await this.callTool('unregister_project', { project: args.project, expected_revision: revision });
    return this.finish(
      result,
      flags.json,
      (output) => `${textOf(output, 'project')} ${output['outcome'] === 'unregistered' ? 'is' : 'was'} no project any more.`,
    );
  }
}
