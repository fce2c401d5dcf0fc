/** What is wrong with the native part of the SQLite library, and what to run. */
export interface BindingProblem {
  readonly what: string;
  readonly fix: string;
}

/** The packages that need their install scripts to run. */
const ALLOW = 'npm install -g --allow-scripts=better-sqlite3 webcodex';

/**
 * What an error of opening a database says about the library's native part; null where it
 * is about something else. npm 12 runs no install scripts that nobody allowed, and a Node of
 * another generation needs the part made anew.
 */
export function bindingProblem(error: unknown): BindingProblem | null {
  const { message = '', code = '' } = (error ?? {}) as { message?: string; code?: string };
  if (message.startsWith('Could not locate the bindings file')) {
    return {
      what: 'the native part of better-sqlite3 is missing, since its install script did not run',
      fix: `Run: ${ALLOW} (in a project: npm install-scripts approve better-sqlite3 && npm rebuild better-sqlite3)`,
    };
  }
  if (code === 'ERR_DLOPEN_FAILED') {
    const [, made] = /NODE_MODULE_VERSION (\d+)/.exec(message) ?? [];
    return {
      what: `the native part of better-sqlite3 does not fit this Node (${process.version}${made === undefined ? '' : `; it was made for module version ${made}`})`,
      fix: `Run: ${ALLOW} (in a project: npm rebuild better-sqlite3)`,
    };
  }
  return null;
}
