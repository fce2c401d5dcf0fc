import { EXIT } from '../client/index.js';
import { completionScript, SHELLS, type Shell } from '../client/completion/index.js';
import { Args } from './framework/oclif.js';
import { WcCommand } from './framework/wc-command.js';

/** `wc completion SHELL`: the script, for a file of the shell's own folder. */
export default class CompletionCommand extends WcCommand {
  static override summary = 'Print the completion of wc for a shell.';
  static override description = `It completes \`wc\` and \`webcodex\`, and starts no process when the key is pressed. Write it anew after an update.

bash: wc completion bash > ~/.local/share/bash-completion/completions/wc
zsh:  wc completion zsh > a folder of your fpath, as _wc
fish: wc completion fish > ~/.config/fish/completions/wc.fish

bash and fish look for a file of the command's name: for \`webcodex\`, link the same file under that name.`;
  static override args = { shell: Args.string({ description: 'The shell.', options: [...SHELLS], required: true }) };

  async run(): Promise<number> {
    const { args, flags } = await this.parse(CompletionCommand);
    const topics = Object.fromEntries(this.config.topics.map(({ name, description }) => [name.replaceAll(':', ' '), description ?? '']));
    const script = completionScript(args.shell as Shell, this.config.commands, topics);
    this.print(flags.json ? JSON.stringify({ shell: args.shell, script }) : script);
    return EXIT.success;
  }
}
