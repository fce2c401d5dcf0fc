/** The only door of the client: how the CLI and the MCP shim reach the daemon. */
export { connect } from './connect.js';
export type { ConnectOptions } from './connect.js';
export type { CallOptions, DaemonClient, PlainAnswer } from './daemon-client.js';
export { ClientError } from './client-error.js';
export type { ClientErrorKind } from './client-error.js';
export { EXIT } from './exit-code.js';
export { packageRoot } from './package-root.js';
export { readPlainAnswer } from './read-answer.js';
