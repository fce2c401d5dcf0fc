import { withoutColour, type Findings } from '../../findings.js';

/** `FILE:LINE:COLUMN: message`, the column left out by some; vet puts its name in front. */
const FINDING = /^(?:vet: )?(\S.*?\.go):(\d+)(?::(\d+))?: (.+)$/;
/** `package X is not in GOROOT`, `go: cannot find main module`: what go itself says. */
const GO_SAYS = /^(?:go: (?!downloading |finding |extracting )(.+)|(pattern \S.*?: .+))$/;

/** Reads what the go compiler, vet and go itself print for people. */
export class GoDiagnostics {
  found = 0;

  constructor(private readonly findings: Findings) {}

  line(raw: string): void {
    const line = withoutColour(raw).trimEnd();
    const finding = FINDING.exec(line);
    if (finding !== null) {
      const [, file = '', row, column, message = ''] = finding;
      this.tell(message, file, Number(row), column === undefined ? null : Number(column));
      return;
    }
    const [, said, ofPattern] = GO_SAYS.exec(line) ?? [];
    const message = said ?? ofPattern;
    if (message !== undefined) this.tell(message, null, null, null);
  }

  private tell(message: string, file: string | null, line: number | null, column: number | null): void {
    this.found += 1;
    this.findings.diagnostic({ severity: 'error', code: null, message, file, line, column });
  }
}
