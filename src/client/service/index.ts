/** The only door of the service: the daemon under the user's systemd. */
export { systemdUnit, UNIT_NAME } from './systemd-unit.js';
export { ServiceRefused, UserService } from './user-service.js';
