/** The only door of the socket API. */
export { ApiServer, type ServerDeps } from './server.js';
export { affinityOf } from './affinity-headers.js';
export { hasHalfPair } from './half-pair.js';
export { runCall, type CallRunner } from './run-call.js';
