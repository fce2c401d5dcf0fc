import { lineIn, Report } from './report.mjs';

/** A reporter for `jest --reporters`: a line a test, as soon as its file is done. */
export default class Reporter {
  #report = new Report('jest');

  onTestResult(_test, { testFilePath: file, testResults, testExecError, failureMessage }) {
    for (const test of testResults) this.#tell(test, file);
    const broken = testExecError ?? (testResults.length === 0 ? failureMessage : null);
    if (broken) this.#report.problem({ phase: 'load', message: withoutStack(broken.message ?? broken), file, line: lineIn(file, broken.stack) });
  }

  onRunComplete() {
    this.#report.end();
  }

  #tell({ status, ancestorTitles, title, failureMessages, location }, file) {
    if (status !== 'failed') {
      this.#report.count(status === 'passed' ? 'passed' : 'skipped');
      return;
    }
    const [stack = ''] = failureMessages;
    const name = [...ancestorTitles, title].join(' > ');
    this.#report.failed({ name, message: withoutStack(stack), file, line: lineIn(file, stack) ?? location?.line ?? null });
  }
}

function withoutStack(message) {
  return String(message).split(/\n\s+at /)[0];
}
