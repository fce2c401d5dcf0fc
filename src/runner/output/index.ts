export type { ExecutionOutput } from './execution-output.js';
export type { OutputCounts, OutputRead, OutputView, PairId, SealedOutput } from './messages.js';
export type { LiveListener } from './message-table.js';
export { OutputThread } from './output-thread.js';
