import { closeSync, readdirSync, readFileSync } from 'node:fs';

const FDINFO = '/proc/self/fdinfo';
/** The bit of `flags:` in fdinfo that says "closed on exec", in Linux on every architecture of ours. */
const O_CLOEXEC = 0o2000000;

/**
 * Closes the descriptors above 2 that this process got from its caller and would pass
 * on: exactly those that are not closed on exec. Node marks what it opens itself, but of
 * what it was given only the descriptors below the first gap, so that a lock file of the
 * caller's shell would live as long as the daemon (measured). macOS needs none of this:
 * its spawn passes only what is named.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of inheritedDescriptors()) {
    try {
      closeSync(descriptor);
    } catch {
      // Closed meanwhile: nothing left to pass on.
    }
  }
}

function inheritedDescriptors(): readonly number[] {
  let names: string[];
  try {
    names = readdirSync(FDINFO);
  } catch {
    return [];
  }
  // Node's own channel to a parent that forked it is libuv's to close.
  const channel = Number(process.env['NODE_CHANNEL_FD'] ?? -1);
  return names.map(Number).filter((descriptor) => descriptor > 2 && descriptor !== channel && isPassedOn(descriptor));
}

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`${FDINFO}/${descriptor}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor of the listing itself.
    return false;
  }
}
