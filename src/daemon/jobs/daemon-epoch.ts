import { randomBytes } from 'node:crypto';

/**
 * One life of the daemon, 8 hex digits. Observation tokens carry it: a token of an
 * earlier life is answered with a reset, since what that life had told is not known
 * (spec 03 §6).
 */
export const DAEMON_EPOCH = randomBytes(4).toString('hex');
