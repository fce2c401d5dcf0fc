export type { ExecutionOutput } from './execution-output.js';
export type { OutputCounts, OutputRead, OutputView, PairId, SealedOutput } from './messages.js';
export { OutputThread, type LiveListener } from './output-thread.js';
