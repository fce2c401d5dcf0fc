/** The version-2 document: how it is judged, read and written. */
export { ChainFileWriter, readChainFile } from './chain-file.js';
export { exportDocument } from './export-document.js';
export { importDocument, type DocumentSource } from './import-document.js';
export { RejectedDocument } from './rejected-document.js';
export { restoreEvents } from './restore-events.js';
export { RowRefused, type RestoreNote } from './restore-notes.js';
export { restoreSession, type RestoreLimits } from './restore-session.js';
export { sessionRowOf } from './document-rows.js';
export { storedText } from './stored-text.js';
