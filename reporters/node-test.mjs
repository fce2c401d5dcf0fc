import { resolve } from 'node:path';
import { lineIn, Report } from './report.mjs';

/**
 * A reporter for `node --test --test-reporter`; to its own destination it writes nothing.
 * Suites are no tests; neither is the test that Node makes of each file, which passes for
 * a file that holds none and stands for its crash when it fails.
 */
export default async function* report(source) {
  const report = new Report('node');
  /** The names of the tests around the one that begins, by depth. */
  const path = [];
  /** What each file said on standard error: all that is known of one that did not load. */
  const said = new Map();
  /** Files that a test has begun in. */
  const loaded = new Set();
  for await (const { type, data } of source) {
    if (type === 'test:start' && !isFile(data)) loaded.add(data.file);
    if (type === 'test:start') path.splice(data.nesting, Infinity, data.name);
    // Some versions name the file here as it was given.
    else if (type === 'test:stderr') said.set(resolve(data.file), withLastError(said.get(resolve(data.file)), data.message));
    else if (type === 'test:pass' && !isSuite(data) && !isFile(data)) report.count(isLeftOut(data) ? 'skipped' : 'passed');
    else if (type === 'test:fail') tellFailure(report, [...path.slice(0, data.nesting), data.name].join(' > '), data, { said, loaded });
  }
  report.end();
  yield '';
}

function tellFailure(report, name, data, { said, loaded }) {
  const { error } = data.details ?? {};
  const cause = error?.cause ?? error;
  const message = cause?.message ?? String(cause);
  const file = data.file ?? null;
  if (isFile(data) || isSuite(data)) {
    // What failed inside has told of itself.
    if (error?.failureType === 'subtestsFailed') return;
    if (isSuite(data)) report.problem({ phase: 'run', message: `${name}: ${message}`, file, line: data.line ?? null });
    else {
      const phase = loaded.has(file) ? 'run' : 'load';
      report.problem({ phase, message: said.get(file)?.problem ?? endOf(error), file, line: said.get(file)?.line ?? null });
    }
  } else if (isLeftOut(data)) {
    report.count('skipped');
  } else {
    report.failed({ name, message, file, line: lineIn(file, cause?.stack) ?? data.line ?? null });
  }
}

function endOf(error) {
  return typeof error?.exitCode === 'number' ? `The file ended with exit code ${error.exitCode}.` : `The file was ended by ${error?.signal ?? 'a signal'}.`;
}

function isSuite({ details }) {
  return details?.type === 'suite';
}

function isFile({ nesting, name, file }) {
  return nesting === 0 && file !== undefined && resolve(name) === file;
}

/** Skipped, or one that may fail since it is still to be done. */
function isLeftOut({ skip, todo }) {
  return (skip !== undefined && skip !== false) || (todo !== undefined && todo !== false);
}

/** Node prints the place first and the error later; the last error is the one that ended it. */
function withLastError(before, text) {
  const place = /^(?:file:\/\/)?\/[^\n]*:(\d+)$/m.exec(text);
  const error = /^(?:Uncaught )?([A-Z]\w*(?:Error|Exception)\b[^\n]*)$/m.exec(text);
  return { line: place === null ? before?.line : Number(place[1]), problem: error?.[1] ?? before?.problem };
}
