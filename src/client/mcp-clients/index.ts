/** The only door of the MCP clients: where they keep their servers, and how ours gets in and out. */
export { ConfigBackups } from './backups.js';
export { CLIENT_IDS, clientOf } from './clients.js';
export type { ClientId, McpClient } from './clients.js';
export { shown } from './config-file.js';
export type { ConfigPlaces, Scope } from './config-of.js';
export { ConfigRefused } from './config-refused.js';
export { install, planInstall } from './install.js';
export { listConfigs } from './list.js';
export type { ListedConfig } from './list.js';
export { ourEntry } from './our-entry.js';
export type { ServerEntry } from './server-entry.js';
export { stableNode } from './stable-node.js';
export { startEntry } from './start-entry.js';
export type { StartedEntry } from './start-entry.js';
export { planUninstall, uninstall } from './uninstall.js';
