import type { CreateParser } from '../adapter.js';
import { Findings, withoutColour } from '../findings.js';
import type { Diagnostic, ParsedOutput } from '../parsed-output.js';

export type LineFinding = (line: string) => Diagnostic | null;

/**
 * A parser of tools that print one line a finding and run no tests.
 *
 * @param makeFinding makes the function that is given every line of one run; it may remember earlier lines
 * @param evidenceKind what a finding is
 */
export function parserOfFindings(makeFinding: () => LineFinding, evidenceKind: NonNullable<ParsedOutput['evidenceKind']>): CreateParser {
  return (context) => {
    const findings = new Findings(context);
    const finding = makeFinding();
    return {
      line: (_stream, text) => {
        const found = finding(withoutColour(text));
        if (found !== null) findings.diagnostic(found);
      },
      finish: ({ truncated }) => {
        const { diagnostics, failedTests } = findings;
        return {
          counts: null,
          reason: truncated ? 'output_truncated' : 'complete_summary',
          evidenceKind: diagnostics.total > 0 ? evidenceKind : null,
          diagnostics,
          failedTests,
        };
      },
    };
  };
}
