import type { CreateParser } from '../../adapter.js';
import { Findings } from '../../findings.js';
import { RustcDiagnostics } from './rustc-diagnostics.js';
import { inWorkspace } from './workspace-folder.js';

/** Reads `cargo check`: what rustc found stands on stderr. */
export const createCargoCheckParser: CreateParser = (context) => {
  const findings = new Findings(inWorkspace(context));
  const diagnostics = new RustcDiagnostics(findings);
  return {
    line(stream, text) {
      if (stream === 'stderr') diagnostics.line(text);
    },
    finish({ truncated, exitCode }) {
      diagnostics.end();
      const failed = exitCode !== 0 && (diagnostics.failedToCompile || findings.hasErrors);
      return {
        counts: null,
        reason: truncated ? 'output_truncated' : 'complete_summary',
        evidenceKind: failed ? 'compile_error' : null,
        diagnostics: findings.diagnostics,
        failedTests: findings.failedTests,
      };
    },
  };
};
