/** The version-2 document: how it is judged, read and written. */
export { ChainFileWriter, readChainFile } from './chain-file.js';
export { exportDocument } from './export-document.js';
export { importDocument, type DocumentSource } from './import-document.js';
export { RejectedDocument } from './rejected-document.js';
export { restoreSession, type RestoreLimits } from './restore-session.js';
export { sessionRowOf } from './document-rows.js';
