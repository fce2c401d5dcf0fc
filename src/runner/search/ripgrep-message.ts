import { z } from 'zod';

/** Text of ripgrep's JSON, or the bytes that are no UTF-8. */
const textOrBytes = z.union([z.object({ text: z.string() }), z.object({ bytes: z.base64() })]);
type TextOrBytes = z.infer<typeof textOrBytes>;

/** The messages of `rg --json` that a search reads; members that it does not need are left alone. */
const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin'), data: z.object({ path: textOrBytes }) }),
  z.object({
    type: z.literal('match'),
    data: z.object({
      lines: textOrBytes,
      line_number: z.number(),
      submatches: z.array(z.object({ start: z.number() })),
    }),
  }),
  z.object({ type: z.literal('context'), data: z.object({ lines: textOrBytes, line_number: z.number() }) }),
  z.object({ type: z.literal('end'), data: z.object({ binary_offset: z.number().nullable() }) }),
  z.object({ type: z.literal('summary') }),
]);
export type RipgrepMessage = z.infer<typeof messageSchema>;

/** The message of a line; null when it is none of ours. */
export function readMessage(line: string): RipgrepMessage | null {
  const parsed = messageSchema.safeParse(parseJson(line));
  return parsed.success ? parsed.data : null;
}

/** As text, with U+FFFD for bytes that are no UTF-8. */
export function decodeText(value: TextOrBytes): string {
  return 'text' in value ? value.text : Buffer.from(value.bytes, 'base64').toString('utf8');
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
