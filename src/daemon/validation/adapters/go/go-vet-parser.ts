import type { CreateParser } from '../../adapter.js';
import { Findings } from '../../findings.js';
import { GoDiagnostics } from './go-diagnostics.js';

/** Reads `go vet`: what it, and the compiler before it, found. */
export const createGoVetParser: CreateParser = (context) => {
  const findings = new Findings(context);
  const diagnostics = new GoDiagnostics(findings);
  return {
    line(_stream, text) {
      diagnostics.line(text);
    },
    finish({ truncated, exitCode }) {
      return {
        counts: null,
        reason: truncated ? 'output_truncated' : 'complete_summary',
        evidenceKind: exitCode !== 0 && diagnostics.found > 0 ? 'compile_error' : null,
        diagnostics: findings.diagnostics,
        failedTests: findings.failedTests,
      };
    },
  };
};
