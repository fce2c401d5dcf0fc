import { readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * The descriptors above 2 that a child of this process would inherit: those that the
 * process was itself started with, since Node marks its own close-on-exec. A lock file
 * or a pipe of whoever started the daemon must not live on in the Runner.
 *
 * Empty where there is no /proc; macOS closes them in the spawn itself.
 */
export function inheritedDescriptors(proc = '/proc/self'): number[] {
  return entries(`${proc}/fd`)
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !closesOnExec(`${proc}/fdinfo/${descriptor}`))
    .sort((a, b) => a - b);
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Also true for one that is gone: the listing's own descriptor is. */
function closesOnExec(path: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(path, 'latin1'))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return true;
  }
}
