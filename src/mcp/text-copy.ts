import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TextCopy } from './call-result.js';

/**
 * `mcp.text_copy` of the state folder's configuration. The daemon checks that document and
 * refuses a bad one by name; here anything but `never` means the default.
 */
export function readTextCopy(stateFolder: string): TextCopy {
  try {
    const config = JSON.parse(readFileSync(join(stateFolder, 'config.json'), 'utf8')) as {
      mcp?: { text_copy?: unknown };
    };
    return config.mcp?.text_copy === 'never' ? 'never' : 'always';
  } catch {
    return 'always'; // no configuration, or one that the daemon will speak about
  }
}
