/**
 * The parts of oclif that commands stand on. Its index loads a good deal more (measured: a
 * third of what oclif costs a command), so nothing imports that.
 */
export { Command } from '@oclif/core/command';
export { Config } from '@oclif/core/config';
export * as Args from '@oclif/core/args';
export * as Errors from '@oclif/core/errors';
export * as Flags from '@oclif/core/flags';
