import { Help } from '@oclif/core/help';
import { EXIT } from '../../client/index.js';
import type { Config } from './oclif.js';

/** The help of a command, a topic, or all of `wc`. */
export async function showHelp(config: Config, words: readonly string[]): Promise<number> {
  await new WcHelp(config, { hideAliasesFromRoot: true, maxWidth: 100, ...config.pjson.oclif.helpOptions }).showHelp([
    ...words.filter((word) => !word.startsWith('-')),
  ]);
  return EXIT.success;
}

/** oclif's help, with the tools apart from what people type most. */
class WcHelp extends Help {
  protected override async showRootHelp(): Promise<void> {
    const top = this.sortedCommands.filter(({ id }) => !id.includes(':'));
    const isTool = (id: string): boolean => this.config.findCommand(id)?.['tool'] !== undefined;
    this.log(this.formatRoot());
    this.log('');
    this.log(this.section('TOPICS', this.listed(this.rootTopics())));
    this.log('');
    this.log(this.section('COMMANDS', this.listed(top.filter(({ id }) => !isTool(id)).map(({ id, summary }) => [id, summary]))));
    this.log('');
    this.log(this.section('TOOLS', this.listed(top.filter(({ id }) => isTool(id)).map(({ id, summary }) => [id, summary]))));
    this.log('');
    this.log('Given flags or files, or nothing at all, `wc` is the word counter of the system.');
  }

  private rootTopics(): (readonly [string, string | undefined])[] {
    // oclif takes every command for a topic as well; a topic is what holds commands.
    const topics = this.config.topics.filter(({ name }) => this.config.commandIDs.some((id) => id.startsWith(`${name}:`)));
    return topics.map(({ name, description }) => [name, description] as const);
  }

  private listed(rows: readonly (readonly [string, string | undefined])[]): string {
    return this.renderList(
      rows.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, summary]) => [name, summary?.split('\n')[0]]),
      { indentation: 2, spacer: '\n', stripAnsi: this.opts.stripAnsi ?? false },
    );
  }
}
