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
