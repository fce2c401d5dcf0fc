import type { JsonObject } from '../../protocol/tool-result.js';
import { printable } from './printable.js';
import type { Style } from './style.js';
import { textOf } from './text-of.js';
import { factLines, textTable } from './text-table.js';
import { counted, duration } from './units.js';

/** A judged run in an answer, as far as people read it. */
interface ValidationFacts {
  readonly adapter: string;
  readonly kind: string;
  readonly status: string;
  readonly evidence_kind: string | null;
  readonly evidence_reason_code: string | null;
  readonly parser: string | null;
  readonly counts: { readonly passed: number; readonly failed: number; readonly ignored: number } | null;
  readonly failed_tests: readonly FailedTest[];
  readonly failed_tests_total: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly diagnostics_total: number;
}

interface Place {
  readonly file: string | null;
  readonly line: number | null;
}

interface FailedTest extends Place {
  readonly name: string;
  readonly message: string | null;
}

interface Diagnostic extends Place {
  readonly severity: string;
  readonly column: number | null;
  readonly code: string | null;
  readonly message: string;
}

/** Lines of the output's end that are shown where nothing in it was understood. */
const SHOWN_LINES = 20;

/** What a validator found, for people: how it went, the counts, and what failed where. Null for an answer without a run. */
export function renderValidation(output: JsonObject, style: Style): string | null {
  const validation = output['validation'] as unknown as ValidationFacts | undefined;
  if (validation === undefined || validation.status === 'not_started') return null;
  const parts = [summary(validation, output, style), failedTests(validation, style), diagnostics(validation, style)];
  const found = validation.failed_tests.length + validation.diagnostics.length;
  if (found === 0 && validation.status !== 'passed' && output['terminal'] === true) parts.push(endOfOutput(output));
  parts.push(
    factLines(
      [
        ['target', textOf(output, 'validation_target_id')],
        ['job', textOf(output, 'job_id')],
        ['output', textOf(output, 'output_id')],
      ],
      style,
    ),
  );
  return parts.filter((part) => part !== null && part !== '').join('\n\n');
}

function summary({ status, kind, parser, counts, evidence_kind: why, evidence_reason_code: reason }: ValidationFacts, output: JsonObject, style: Style): string {
  const tool = parser?.split('/')[0] ?? 'unread';
  const took = output['duration_ms'];
  const facts = [
    counts === null ? null : `${counts.passed} passed, ${counts.failed} failed, ${counts.ignored} ignored`,
    kind === 'test' && counts === null && reason !== null ? `no count: ${reason}` : null,
    why,
    typeof took === 'number' ? duration(took) : null,
  ];
  return `${painted(status, style)}  ${tool}  ${facts.filter((fact) => fact !== null).join(', ')}`.trimEnd();
}

function painted(status: string, style: Style): string {
  if (status === 'passed') return style.good(status);
  return status === 'failed' || status === 'expectation_mismatch' ? style.bad(status) : style.warn(status);
}

function failedTests({ failed_tests: tests, failed_tests_total: total }: ValidationFacts, style: Style): string | null {
  if (tests.length === 0) return null;
  const table = textTable(
    tests,
    [
      { title: 'failed test', value: ({ name }) => name, paint: (text) => style.bad(text) },
      { title: 'where', value: placeOf },
      { title: 'why', value: ({ message }) => message ?? '' },
    ],
    style,
  );
  return withRest(table, tests.length, total, 'failed test', style);
}

function diagnostics({ diagnostics: found, diagnostics_total: total }: ValidationFacts, style: Style): string | null {
  if (found.length === 0) return null;
  const table = textTable(
    found,
    [
      { title: 'where', value: (one) => (one.column === null ? placeOf(one) : `${placeOf(one)}:${one.column}`) },
      { title: 'kind', value: ({ severity, code }) => code ?? severity, paint: (text, { severity }) => (severity === 'error' ? style.bad(text) : style.warn(text)) },
      { title: 'what', value: ({ message }) => message },
    ],
    style,
  );
  return withRest(table, found.length, total, 'finding', style);
}

function withRest(table: string, shown: number, total: number, what: string, style: Style): string {
  return total > shown ? `${table}\n${style.dim(`… and ${counted(total - shown, `more ${what}`)}`)}` : table;
}

/** `src/a.ts:3`. */
function placeOf({ file, line }: Place): string {
  if (file === null) return '-';
  return line === null ? file : `${file}:${line}`;
}

/** What the run printed last; where its report is the output, the tools' own words are the errors. */
function endOfOutput(output: JsonObject): string {
  const tails = [output['stderr_tail'], output['stdout_tail']].filter((tail): tail is string => typeof tail === 'string' && tail.trim() !== '');
  return printable((tails[0] ?? '').trimEnd().split('\n').slice(-SHOWN_LINES).join('\n'));
}
