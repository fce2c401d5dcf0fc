import { readFile } from 'node:fs/promises';

const LISTEN = '0A';
/** Addresses of `/proc/net/tcp*` at which the loopback device is served, in the machine's byte order. */
const ANY = /^0+$/;
const LOOPBACK_V4 = /^[0-9A-F]{6}7F$/;
const LOOPBACK_V6 = '00000000000000000000000001000000';
const MAPPED_LOOPBACK_V4 = /^0000000000000000FFFF0000[0-9A-F]{6}7F$/;

/**
 * The sockets that listen on a port of the loopback device, as descriptors name them
 * (`socket:[inode]`). Null where the system does not list them.
 */
export async function listeningSockets(port: number): Promise<ReadonlySet<string> | null> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(readTable));
  if (tables.every((table) => table === null)) return null;
  return new Set(tables.flatMap((table) => (table === null ? [] : parseListeners(table, port))));
}

/** The listening sockets of one table of `/proc/net`. */
export function parseListeners(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [address, localPort] = (fields[1] ?? '').split(':');
    const inode = fields[9];
    if (address === undefined || inode === undefined || localPort !== wanted || fields[3] !== LISTEN) return [];
    return isLoopback(address) ? [`socket:[${inode}]`] : [];
  });
}

function isLoopback(address: string): boolean {
  return ANY.test(address) || LOOPBACK_V4.test(address) || address === LOOPBACK_V6 || MAPPED_LOOPBACK_V4.test(address);
}

async function readTable(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'latin1');
  } catch {
    return null;
  }
}
