import { Args } from './oclif.js';
import type { ToolResult } from '../../protocol/tool-result.js';
import type { FollowParts, StreamName } from './follow-job.js';
import { WcCommand } from './wc-command.js';
import { writeThrough } from './write-through.js';

/** The one word of these commands; each names it, since oclif reads only a class's own members. */
export const jobArgs = { job: Args.string({ description: 'The Job\'s id.', required: true }) };

/** What the commands about one Job share. */
export abstract class JobCommand extends WcCommand {
  /** A tool call that only observes, so that it survives a restart of the daemon. */
  protected readonly observe = (tool: string, args: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ToolResult> =>
    this.callTool(tool, args, { repeatable: true, ...(signal ? { signal } : {}) });

  /** Program output goes where the program sent it. */
  protected readonly write = (stream: StreamName, bytes: Buffer): Promise<void> =>
    writeThrough(stream === 'stdout' ? process.stdout : process.stderr, bytes);

  protected followParts(streams: readonly StreamName[], signal: AbortSignal): FollowParts {
    return { observe: this.observe, write: this.write, readsOn: false, streams, signal };
  }
}
