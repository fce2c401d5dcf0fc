import picomatch from 'picomatch';
import type { Refusal } from '../../protocol/runner/project-root.js';
import { pathProtection } from '../confinement/index.js';
import { refuse } from '../request.js';

/** Which files a query is about, by their project-relative paths. */
export interface PathGlobs {
  readonly admits: (path: string) => boolean;
  /** Whole folders that are excluded, as anchored globs: the walk does not enter them. */
  readonly prunedFolders: readonly string[];
}

/**
 * Compiles the globs of a query. A glob without a slash holds at any depth; one that
 * names a folder means all that is in it. `invalid_glob` for a negation (there is a list
 * for each side), for brackets that do not close, and for including protected names.
 */
export function compileGlobs(include: readonly string[], exclude: readonly string[]): PathGlobs | Refusal {
  for (const glob of [...include, ...exclude]) {
    const problem = glob.startsWith('!') ? 'negated_glob' : isBalanced(glob) ? null : 'malformed_glob';
    if (problem !== null) return refuseGlob(glob, problem);
  }
  const protectedGlob = include.find(namesProtected);
  if (protectedGlob !== undefined) return refuseGlob(protectedGlob, 'protected_glob');
  const isIncluded = include.length === 0 ? (): boolean => true : matcher(include);
  const isExcluded = exclude.length === 0 ? (): boolean => false : matcher(exclude);
  return {
    admits: (path) => isIncluded(path) && !isExcluded(path),
    prunedFolders: exclude.map(prunedFolder).filter((glob) => glob !== null),
  };
}

function matcher(globs: readonly string[]): (path: string) => boolean {
  const anchored = globs.map(anchor).flatMap((glob) => [glob, `${glob}/**`]);
  const isMatch = picomatch(anchored, { dot: true, nonegate: true, strictBrackets: true });
  return (path) => isMatch(path);
}

/** The glob from the project's folder on. */
function anchor(glob: string): string {
  const bare = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  return bare.includes('/') || glob.startsWith('/') ? bare : `**/${bare}`;
}

/** `docs/**` and `docs/` take the folder with everything in it. */
function prunedFolder(glob: string): string | null {
  const folder = /^(.*[^/])\/(?:\*\*)?$/.exec(glob)?.[1];
  return folder === undefined ? null : `/${anchor(folder)}`;
}

/** Whether brackets and braces close; an escaped one counts for nothing. */
function isBalanced(glob: string): boolean {
  let braces = 0;
  let inClass = false;
  for (let index = 0; index < glob.length; index += 1) {
    const character = glob[index];
    if (character === '\\') {
      index += 1;
      if (index === glob.length) return false;
    } else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '{') braces += 1;
    else if (character === '}') braces -= 1;
    if (braces < 0) return false;
  }
  return braces === 0 && !inClass;
}

function namesProtected(glob: string): boolean {
  return glob.split(/[/{},]/).some((part) => pathProtection(part) !== null);
}

const GLOB_PROBLEMS = {
  negated_glob: 'is negated; put it into the other list without its "!"',
  malformed_glob: 'has brackets or braces that do not close, or ends with a backslash',
  protected_glob: 'names files that are protected and never searched',
};

function refuseGlob(glob: string, reason: keyof typeof GLOB_PROBLEMS): Refusal {
  return refuse('invalid_glob', `The glob ${JSON.stringify(glob)} ${GLOB_PROBLEMS[reason]}.`, { reason_code: reason });
}
