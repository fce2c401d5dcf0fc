import { lineIn, Report } from './report.mjs';

/**
 * A reporter for `vitest --reporter`. Since version 3 a module tells of its tests when it
 * is done, or at the end where it did not load; before, the whole run told at its end.
 */
export default class Reporter {
  #report = new Report('vitest');
  #told = new Set();
  #hasEnded = false;

  onTestModuleEnd(module) {
    if (this.#told.has(module.id)) return;
    this.#told.add(module.id);
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      this.#tell(state, test.fullName, errors, module.moduleId, test.location?.line);
    }
    this.#tellProblems('load', module.errors(), module.moduleId);
    for (const suite of module.children.allSuites()) this.#tellProblems('run', suite.errors(), module.moduleId);
  }

  onTestRunEnd(modules, unhandled) {
    for (const module of modules) this.onTestModuleEnd(module);
    this.#end(unhandled);
  }

  onFinished(files = [], unhandled = []) {
    // Version 3 calls both.
    if (this.#hasEnded || this.#told.size > 0) return;
    for (const file of files) this.#tellTask(file, file.filepath, []);
    this.#end(unhandled);
  }

  #end(unhandled) {
    this.#hasEnded = true;
    this.#tellProblems('run', unhandled, null);
    this.#report.end();
  }

  #tellTask(task, file, path) {
    const { state, errors } = task.result ?? {};
    if (task.tasks !== undefined) {
      const isModule = task.filepath !== undefined;
      this.#tellProblems(isModule ? 'load' : 'run', errors ?? [], file);
      for (const child of task.tasks) this.#tellTask(child, file, isModule ? path : [...path, task.name]);
    } else {
      this.#tell(state, [...path, task.name].join(' > '), errors, file, task.location?.line);
    }
  }

  #tell(state, name, errors, file, definedAt) {
    if (state === 'failed' || state === 'fail') {
      const [error] = errors ?? [];
      this.#report.failed({ name, message: error?.message ?? null, file, line: placeOf(error, file) ?? definedAt ?? null });
    } else {
      this.#report.count(state === 'passed' || state === 'pass' ? 'passed' : 'skipped');
    }
  }

  #tellProblems(phase, errors, file) {
    for (const error of errors) {
      const named = file ?? error.VITEST_TEST_PATH ?? error.stacks?.[0]?.file ?? null;
      this.#report.problem({ phase, message: `${error.name ?? 'Error'}: ${error.message ?? String(error)}`, file: named, line: placeOf(error, named) });
    }
  }
}

/** The line of an error in its test file: vitest has mapped the stack to the sources. */
function placeOf(error, file) {
  const frame = error?.stacks?.find((one) => one.file === file) ?? (error?.loc?.file === file ? error.loc : undefined);
  return frame?.line ?? lineIn(file, error?.stack);
}
