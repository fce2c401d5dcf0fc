export type { OutputView, PairId, SealedOutput } from './messages.js';
export { closeWriteEnds, OutputLostError, OutputThread, type ExecutionOutput, type LiveListener } from './output-thread.js';
