/** The only door of rendering: text for people out of the daemon's answers. */
export { printable, printableLine } from './printable.js';
export { renderFailure } from './render-failure.js';
export { renderValue } from './render-value.js';
export { shellQuote } from './shell-quote.js';
export { styleFor } from './style.js';
export type { Style } from './style.js';
export { factLines, textTable } from './text-table.js';
export type { Column } from './text-table.js';
export { byteSize, counted, duration, utcTime } from './units.js';
export { renderChanges } from './render-changes.js';
export { renderCloseout } from './render-closeout.js';
export { renderSession, renderSessions } from './render-sessions.js';
export { renderStartup } from './render-startup.js';
export { renderProject, renderProjects } from './render-projects.js';
export { renderAuditSession, renderAuditSessions, renderAuditStatistics } from './render-audit.js';
export type { AuditEvent, AuditSession, AuditStatistics } from './render-audit.js';
export { jobState, renderJobs } from './render-jobs.js';
export type { JobFacts } from './render-jobs.js';
