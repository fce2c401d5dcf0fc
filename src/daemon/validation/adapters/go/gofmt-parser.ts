import type { CreateParser } from '../../adapter.js';
import { Findings } from '../../findings.js';
import { GoDiagnostics } from './go-diagnostics.js';

/** Reads `gofmt -l`: a file a line; gofmt ends with 0 whether it names any or none. */
export const createGofmtParser: CreateParser = (context) => {
  const findings = new Findings(context);
  const diagnostics = new GoDiagnostics(findings);
  let differs = false;
  return {
    line(stream, text) {
      if (stream === 'stderr') {
        diagnostics.line(text);
      } else if (text.endsWith('.go')) {
        differs = true;
        findings.diagnostic({ severity: 'error', code: null, message: 'gofmt formats this otherwise', file: text, line: null, column: null });
      }
    },
    finish({ truncated }) {
      return {
        counts: null,
        reason: truncated ? 'output_truncated' : 'complete_summary',
        evidenceKind: differs ? 'format_diff' : diagnostics.found > 0 ? 'compile_error' : null,
        diagnostics: findings.diagnostics,
        failedTests: findings.failedTests,
      };
    },
  };
};
