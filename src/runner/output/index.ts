export type { OutputCounts, OutputView, PairId, SealedOutput } from './messages.js';
export { closeWriteEnds, OutputThread, type ExecutionOutput, type LiveListener } from './output-thread.js';
