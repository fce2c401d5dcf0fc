import type { CreateParser, OutputEnd, ParserContext } from '../../../src/daemon/validation/adapter.js';
import type { ParsedOutput } from '../../../src/daemon/validation/parsed-output.js';

export const CONTEXT: ParserContext = { root: '/srv/demo', cwd: '.', hints: {} };

/** Feeds whole streams to a parser, as the core does. */
export function parse(
  create: CreateParser,
  streams: { readonly stdout?: string; readonly stderr?: string },
  end: Partial<OutputEnd> = {},
  context: Partial<ParserContext> = {},
): ParsedOutput {
  const parser = create({ ...CONTEXT, ...context });
  for (const stream of ['stdout', 'stderr'] as const) {
    for (const line of linesOf(streams[stream] ?? '')) parser.line(stream, line);
  }
  return parser.finish({ exitCode: 0, timedOut: false, truncated: false, ...end });
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
