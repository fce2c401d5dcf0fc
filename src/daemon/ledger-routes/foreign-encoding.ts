import { open } from 'node:fs/promises';
import { RejectedDocument } from '../sessions/index.js';

/** Bytes that other encodings begin with, and what to do with a document in one. */
const FOREIGN_ENCODINGS: readonly { readonly begins: readonly number[]; readonly message: string }[] = [
  { begins: [0x1f, 0x8b], message: 'the document is compressed by gzip: give it as `gunzip` writes it' },
  { begins: [0x28, 0xb5, 0x2f, 0xfd], message: 'the document is compressed by zstd: give it as `zstd -d` writes it' },
  { begins: [0xef, 0xbb, 0xbf], message: 'the document begins with a byte order mark, which is no JSON' },
  { begins: [0xff, 0xfe], message: 'the document is UTF-16 and has to be UTF-8' },
  { begins: [0xfe, 0xff], message: 'the document is UTF-16 and has to be UTF-8' },
];

/**
 * Says by its name what is no document because it is encoded: compressed bytes may hold the
 * separator of a chain anywhere, and would be refused for a chain that nobody sent.
 *
 * @throws RejectedDocument
 */
export async function refuseForeignEncoding(path: string): Promise<void> {
  const file = await open(path);
  try {
    const first = Buffer.alloc(4);
    await file.read(first, 0, first.length, 0);
    const foreign = FOREIGN_ENCODINGS.find(({ begins }) => begins.every((byte, index) => first[index] === byte));
    if (foreign !== undefined) throw new RejectedDocument('not_utf8', foreign.message);
  } finally {
    await file.close();
  }
}
