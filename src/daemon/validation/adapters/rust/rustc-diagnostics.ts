import { withoutColour, type Findings } from '../../findings.js';

const HEADLINE = /^(error|warning)(?:\[([A-Za-z0-9_:]+)\])?: (.*)$/;
const PLACE = /^\s*--> (.+?):(\d+):(\d+)$/;
/** What cargo and rustc say about their own findings, which is no finding. */
const SUMMARY =
  /^(?:could not compile |aborting due to |test failed, to rerun|doctest failed, to rerun|\d+ targets? failed:|build failed, waiting|.* generated \d+ warnings?|\d+ warnings? emitted|unused manifest key|process didn't exit successfully)/;

/** Reads the diagnostics that rustc and cargo print for people. */
export class RustcDiagnostics {
  private open: { severity: 'error' | 'warning'; code: string | null; message: string } | null = null;
  /** Whether something did not compile. */
  failedToCompile = false;

  constructor(private readonly findings: Findings) {}

  line(raw: string): void {
    const line = withoutColour(raw);
    const headline = HEADLINE.exec(line);
    if (headline !== null) {
      this.close(null);
      const [, severity, code, message = ''] = headline;
      if (message.startsWith('could not compile ') || message.startsWith('aborting due to ')) this.failedToCompile = true;
      if (SUMMARY.test(message)) return;
      this.open = { severity: severity === 'error' ? 'error' : 'warning', code: code ?? null, message };
      return;
    }
    if (this.open === null) return;
    const place = PLACE.exec(line);
    // Only the first place is the finding's own; further ones belong to its notes.
    if (place !== null) this.close(place);
  }

  end(): void {
    this.close(null);
  }

  private close(place: RegExpExecArray | null): void {
    if (this.open === null) return;
    this.findings.diagnostic({
      ...this.open,
      file: place?.[1] ?? null,
      line: place === null ? null : Number(place[2]),
      column: place === null ? null : Number(place[3]),
    });
    this.open = null;
  }
}
