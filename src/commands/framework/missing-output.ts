import type { JsonObject } from '../../protocol/tool-result.js';
import type { OutputPositions } from './follow-job.js';

/** What of the output did not come out here, as a sentence; null when all of it did. */
export function missingOutput(output: JsonObject, positions: OutputPositions): string | null {
  const parts = (['stdout', 'stderr'] as const).flatMap((stream) => {
    const total = output[`${stream}_bytes`];
    if (typeof total !== 'number') return [];
    const missing = total - positions[stream].bytes;
    return missing > 0 ? [`${missing} of ${total} bytes of ${stream}`] : [];
  });
  return parts.length === 0 ? null : `${parts.join(' and ')} are missing above: they were dropped before they could be read (runner.spool_max_bytes, or a full disk).`;
}
