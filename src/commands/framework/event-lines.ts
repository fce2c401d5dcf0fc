import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';

/** The lines of an answer as they come, without their ends; empty ones are left out. */
export async function* linesOf(answer: IncomingMessage): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const parts = (rest + decoder.write(chunk)).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part !== '') yield part;
  }
  if (rest !== '') yield rest;
}
