import type { Progress } from '../protocol/api.js';

/** The least time between two reports of one call, in milliseconds (decision 24). */
const BETWEEN_REPORTS_MS = 15_000;
const MESSAGE_CHARACTERS = 200;

/** One `notifications/progress` of a call, without its token. */
export interface ProgressReport {
  readonly progress: number;
  readonly message: string;
}

/**
 * Progress of one call as MCP wants it: strictly rising, at most every 15 s, none after
 * the call is over. While a call is silent a report still says that it goes on, since
 * clients reset their time-outs on reports.
 */
export class ProgressReports {
  private reported = 0;
  private latest = 'under way';
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly send: (report: ProgressReport) => void,
    betweenMs = BETWEEN_REPORTS_MS,
  ) {
    this.timer = setInterval(() => this.report(), betweenMs);
    this.timer.unref();
  }

  /** Notes what is going on; it is told with the next report. */
  readonly note = (progress: Progress): void => {
    const text = 'message' in progress ? progress.message : lastLine(progress.text);
    if (text !== '') this.latest = [...text].slice(0, MESSAGE_CHARACTERS).join('');
  };

  /** No report leaves after this. */
  end(): void {
    clearInterval(this.timer);
  }

  private report(): void {
    this.reported += 1;
    this.send({ progress: this.reported, message: this.latest });
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
