import type { CreateParser } from '../../adapter.js';
import { Findings, withoutColour } from '../../findings.js';
import { RustcDiagnostics } from './rustc-diagnostics.js';
import { inWorkspace } from './workspace-folder.js';

/** `Diff in FILE:LINE:`, and `Diff in FILE at line LINE:` of older ones. A diff's own lines are indented or signed. */
const DIFF = /^Diff in (.+?)(?::| at line )(\d+):$/;

/** Reads `cargo fmt`: each place that is formatted otherwise, and what does not parse at all. */
export const createRustfmtParser: CreateParser = (context) => {
  const findings = new Findings(inWorkspace(context));
  const diagnostics = new RustcDiagnostics(findings);
  let differs = false;
  return {
    line(stream, text) {
      if (stream === 'stderr') {
        diagnostics.line(text);
        return;
      }
      const diff = DIFF.exec(withoutColour(text));
      if (diff === null) return;
      differs = true;
      findings.diagnostic({
        severity: 'error',
        code: null,
        message: 'rustfmt formats this otherwise',
        file: diff[1] ?? null,
        line: Number(diff[2]),
        column: null,
      });
    },
    finish({ truncated, exitCode }) {
      diagnostics.end();
      const evidenceKind = exitCode === 0 ? null : differs ? 'format_diff' : findings.hasErrors ? 'compile_error' : null;
      return {
        counts: null,
        reason: truncated ? 'output_truncated' : 'complete_summary',
        evidenceKind,
        diagnostics: findings.diagnostics,
        failedTests: findings.failedTests,
      };
    },
  };
};
