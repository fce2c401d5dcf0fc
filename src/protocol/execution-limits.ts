/** The bounds of an execution (spec 03 §3, spec 00 decision 19). Bytes are UTF-8. */
export const MAX_COMMAND_BYTES = 16_000;
export const MAX_EXECUTABLE_BYTES = 1_024;
export const MAX_ARGUMENTS = 256;
export const MAX_ARGUMENT_BYTES = 8_192;
/** Executable plus every argument plus one byte an argument. */
export const MAX_ARGV_BYTES = 16_000;
export const MAX_SCRIPT_BYTES = 524_288;
export const MAX_STDIN_BYTES = 65_536;
export const MAX_CWD_BYTES = 1_024;
export const MAX_TIMEOUT_SECS = 3_600;
export const MAX_JOB_TIMEOUT_SECS = 604_800;
export const DEFAULT_TIMEOUT_SECS = 60;
export const DEFAULT_JOB_TIMEOUT_SECS = 3_600;
/** How long a foreground call waits before its work goes on as a Job; never more than its own time-out. */
export const HAND_OFF_GRACE_MS = 10_000;
/** What is held of each stream's end for results, snapshots and evidence. */
export const CAPTURE_BYTES = 256 * 1_024;
/** What a result shows of a stream's end, in Unicode code points. */
export const MODEL_TAIL_CHARACTERS = 12_000;
/** What an observation shows of a stream at most. */
export const JOB_SNAPSHOT_BYTES = 64 * 1_024;
/** What one read of an output holds at most; most reads end by their bytes. */
export const MAX_READ_LINES = 65_536;
export const MAX_ACTIVE_JOBS = 64;
export const MAX_TERMINAL_JOBS = 64;
export const TERMINAL_JOB_RETENTION_MS = 15 * 60_000;
export const MAX_CONCURRENT_JOBS = 64;
export const MAX_OBSERVED_JOBS = 8;
