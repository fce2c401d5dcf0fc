import { findProgram, isProgram } from './find-program.js';

/** Where POSIX systems have `sh`. */
export const SH = '/bin/sh';
/** Where many have bash when the PATH does not say. */
const USUAL_BASH = ['/bin/bash', '/usr/bin/bash'];

/** The bash of a PATH, else the system's, else null. */
export async function findBash(path: string | undefined): Promise<string | null> {
  const onPath = await findProgram(['bash'], path);
  if (onPath !== null) return onPath;
  for (const usual of USUAL_BASH) if (await isProgram(usual)) return usual;
  return null;
}
