import { Command, Flags } from './oclif.js';
import type { CallOptions, DaemonClient } from '../../client/index.js';
import { connect, EXIT } from '../../client/index.js';
import type { Style } from '../../client/render/index.js';
import { renderAttention, renderEnvelope, renderFailure, styleFor } from '../../client/render/index.js';
import type { ToolCallBody } from '../../protocol/api.js';
import { HEADERS } from '../../protocol/api.js';
import type { JsonObject, ToolResult } from '../../protocol/tool-result.js';
import type { Selectors } from './fill-selectors.js';
import { variablesOf, windowName } from './fill-selectors.js';
import { projectHere } from './project-here.js';

/** What people choose for a call besides its arguments; the variables stand in where the line is silent. */
export const selectorFlags = {
  session: Flags.string({ summary: 'Workflow Session of the call (wc_sess_… or ~sN); else WC_SESSION.', helpValue: 'SESSION' }),
  project: Flags.string({ summary: 'Project of the call (id, name or ~pN); else WC_PROJECT.', helpValue: 'PROJECT' }),
};

/** Where a call is recorded besides. */
export const recordFlag = {
  record: Flags.string({ summary: 'Workflow Session that records the call; else WC_RECORD.', helpValue: 'SESSION' }),
};

/** How a tool is called beside its arguments. */
export type ToolCallOptions = CallOptions & {
  readonly record?: string | undefined;
  /** The parts of `_wc` beyond the recorder. */
  readonly envelope?: Readonly<Record<string, unknown>> | undefined;
  /** The name of the window; else that of the environment. */
  readonly window?: string | undefined;
  readonly body?: Omit<ToolCallBody, 'arguments'>;
};

/** `--json` of every command. */
export const jsonFlag = {
  json: Flags.boolean({ summary: 'Print the exact result as one JSON document.', helpGroup: 'GLOBAL' }),
};

/**
 * What every command stands on: the daemon, the two streams, the exit code. A command's
 * `run` returns its exit code.
 */
export abstract class WcCommand extends Command {
  static override baseFlags = jsonFlag;
  /** The command ends with the exit code of a program, so that its own failure is 125. */
  static endsWithProgram = false;

  abstract override run(): Promise<number>;

  protected readonly env: NodeJS.ProcessEnv = process.env;
  protected readonly outStyle: Style = styleFor({ isTerminal: process.stdout.isTTY, env: process.env });
  protected readonly errStyle: Style = styleFor({ isTerminal: process.stderr.isTTY, env: process.env });

  /** The columns of the terminal that standard output is; null where it is none. */
  protected readonly outWidth: number | null = process.stdout.isTTY ? process.stdout.columns : null;

  /** The selectors that the environment holds. */
  protected readonly variables: Selectors = variablesOf(process.env);

  private connected: Promise<DaemonClient> | undefined;

  /** The daemon; the first use finds or starts it. */
  protected client(options: { readonly autostart?: boolean } = {}): Promise<DaemonClient> {
    this.connected ??= connect({
      adapter: 'cli',
      env: this.env,
      eager: false,
      autostart: options.autostart ?? true,
      onNotice: (line) => this.note(`wc: ${line}`),
    });
    return this.connected;
  }

  /** Calls a tool with arguments as they stand; undefined members are left out. */
  protected async callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: ToolCallOptions = {},
  ): Promise<ToolResult> {
    const { record, envelope, window = this.variables.window, body, ...call } = options;
    const recorder = record ?? (envelope?.['record'] === undefined ? this.variables.record : undefined);
    const whole = { ...(recorder === undefined ? {} : { record: recorder }), ...envelope };
    return (await this.client()).callTool(
      name,
      {
        arguments: definedOnly(args),
        ...(recorder === undefined && envelope === undefined ? {} : { _wc: whole }),
        ...body,
      },
      window === undefined ? call : { ...call, headers: { ...call.headers, [HEADERS.window]: windowName(window) } },
    );
  }

  /** The one project of the folder that the person stands in. Throws UsageError. */
  protected async projectHere(): Promise<string> {
    const folder = process.cwd();
    const resolved = await this.callTool('resolve_workspace', { client_id: 'local', path: folder }, { repeatable: true });
    return projectHere(resolved, folder);
  }

  /** Ends a command with a ToolResult: the exact document, or text for people. Returns the exit code. */
  protected finish(
    result: ToolResult,
    json: boolean,
    render: (output: JsonObject, style: Style) => string,
  ): number {
    if (!json) this.noteBeside(result.output);
    if (json) this.print(JSON.stringify(result));
    else if (result.success) this.print(render(result.output, this.outStyle));
    else this.note(renderFailure(result, this.errStyle));
    return result.success ? EXIT.success : EXIT.refused;
  }

  /** Says on standard error what an answer brings beside the tool's own output. */
  protected noteBeside(output: JsonObject): void {
    for (const beside of [renderAttention(output, this.errStyle), renderEnvelope(output, this.errStyle)]) {
      if (beside !== null) this.note(beside);
    }
  }

  /** Text for standard output; a line break is added where it ends without one. */
  protected print(text: string): void {
    if (text !== '') process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** A line for the person, on standard error. */
  protected note(text: string): void {
    process.stderr.write(`${text}\n`);
  }
}

/** An object without its undefined members. */
export function definedOnly(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
