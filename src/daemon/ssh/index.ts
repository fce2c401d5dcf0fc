export { releaseSessionConnections } from './release-session-connections.js';
