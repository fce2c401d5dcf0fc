import { isErrorKind } from '../../protocol/error-kinds.js';
import { errorKindOf } from '../../protocol/tool-result.js';
import type { CallRecord } from '../kernel/ports.js';
import type { Family } from './exposition.js';
import { Histogram } from './histogram.js';

type Labels = Readonly<Record<string, string>>;

/** Counts by their labels. */
class Counts {
  private readonly counts = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels): void {
    const key = Object.values(labels).join('\0');
    const known = this.counts.get(key);
    if (known === undefined) this.counts.set(key, { labels, value: 1 });
    else known.value += 1;
  }

  samples(): Family['samples'] {
    return [...this.counts.values()];
  }
}

/**
 * Calls since the daemon started. Every label is a name of ours, so that no caller can
 * make series: a tool that does not exist is `unknown`, a kind that is none of ours `other`.
 */
export class CallMetrics {
  private readonly calls = new Counts();
  private readonly errors = new Counts();
  private readonly durations = new Map<string, Histogram>();

  record({ facts, outcome, result, durationMs, adapter }: CallRecord): void {
    const tool = facts?.name ?? 'unknown';
    this.calls.add({ tool, outcome, adapter });
    if (!result.success) this.errors.add({ tool, kind: kindOf(errorKindOf(result)) });
    let histogram = this.durations.get(tool);
    if (histogram === undefined) this.durations.set(tool, (histogram = new Histogram()));
    histogram.observe(Math.max(0, durationMs));
  }

  families(): readonly Family[] {
    return [
      {
        name: 'wc_calls_total',
        type: 'counter',
        help: 'Tool calls that ended, by tool, how they ended and where they came from.',
        samples: this.calls.samples(),
      },
      {
        name: 'wc_call_errors_total',
        type: 'counter',
        help: 'Tool calls that did not succeed, by tool and error kind.',
        samples: this.errors.samples(),
      },
      {
        name: 'wc_call_duration_seconds',
        type: 'histogram',
        help: 'How long tool calls took, by tool.',
        samples: [...this.durations].flatMap(([tool, histogram]) => histogram.samples({ tool })),
      },
    ];
  }
}

function kindOf(kind: string | null): string {
  return kind !== null && isErrorKind(kind) ? kind : 'other';
}
