export type { LinkEvent } from './link-event.js';
export { createRunnerLink, type RunnerLink, type RunnerLinkOptions } from './link.js';
export type { LinkBounds } from './link-bounds.js';
export type { RunnerLaunch } from './spawn-runner.js';
export type { RunnerAnswer, RunnerCallOptions, RunnerPort, RunnerState } from './port.js';
