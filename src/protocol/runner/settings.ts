import { z } from 'zod';
import { runnerMethod } from './method.js';
import { sshResourcesSchema } from './ssh.js';

const MAX_VARIABLES = 256;
const MAX_VARIABLE_BYTES = 32 * 1_024;
/** What an init script may be, in UTF-8 bytes. */
export const MAX_INIT_SCRIPT_BYTES = 64 * 1_024;

const absolutePath = z
  .string()
  .startsWith('/')
  .max(4_096)
  .refine((path) => !path.includes('\0'), 'holds a NUL');

/** A folder that goes in front of the PATH; a colon would make two of it. */
const pathFolder = absolutePath.refine((path) => !path.includes(':'), 'holds a colon');

const variables = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
    z.string().refine((value) => !value.includes('\0') && Buffer.byteLength(value) <= MAX_VARIABLE_BYTES, 'holds a NUL or is longer than 32 KiB'),
  )
  .refine((given) => Object.keys(given).length <= MAX_VARIABLES, `more than ${MAX_VARIABLES} variables`);

const profileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);

/** A named environment for the commands of some projects (spec 03 §9). */
export const profileSchema = z.strictObject({
  /** `isolated` starts from who the user is and the system's PATH alone, and takes no caller's environment. */
  environment_mode: z.enum(['inherit', 'isolated']).default('inherit'),
  env: variables.default({}),
  /** Run once at the project's root; what it exports is what commands get. */
  init_script: z
    .string()
    .min(1)
    .refine((script) => !script.includes('\0') && Buffer.byteLength(script) <= MAX_INIT_SCRIPT_BYTES, 'holds a NUL or is longer than 64 KiB')
    .optional(),
});
export type Profile = z.output<typeof profileSchema>;

/**
 * What a Runner may start, and in which environment. It may hold secrets of the user, so
 * it travels on the private socket and never in an argument, and no answer shows a value.
 */
export const runnerSettingsSchema = z.strictObject({
  /** Folders that bind every start; unset binds starts to their project alone. */
  allowed_roots: z.array(absolutePath).max(64).optional(),
  /** Lifts `allowed_roots` for working folders; the project's own root binds them all the same. */
  allow_cwd_anywhere: z.boolean().default(false),
  /** False refuses everything that a caller can put a program of its own into. */
  allow_raw_shell: z.boolean().default(true),
  /** How many persistent shells may be open at once. */
  max_shells: z.int().min(1).max(64).default(8),
  /** Seconds without a command after which a persistent shell is closed. */
  shell_idle_secs: z.int().min(1).max(86_400).default(1_800),
  path_prepend: z.array(pathFolder).max(32).default([]),
  shell: z.strictObject({ env: variables.default({}) }).prefault({}),
  /** The hosts that Sessions may work on, by name. */
  ssh: z.strictObject({ resources: sshResourcesSchema.default({}) }).prefault({}),
  profiles: z
    .record(profileName, profileSchema)
    .refine((given) => Object.keys(given).length <= 64, 'more than 64 profiles')
    .default({}),
  default_profile: profileName.optional(),
  /** Project ids and the profiles of their commands. */
  project_profiles: z.record(z.string().max(300), profileName).default({}),
});
export type RunnerSettings = z.output<typeof runnerSettingsSchema>;

/**
 * Replaces a Runner's settings as a whole; the daemon sends them before anything else, to
 * a Runner that it started as to one that it found. What runs already keeps its own.
 */
export const configureMethod = runnerMethod({
  name: 'runner/configure',
  /** A Runner of an older version passes over the keys that it does not know. */
  params: z.object(runnerSettingsSchema.shape),
  /** Grows when the settings have changed. */
  result: z.strictObject({ generation: z.int() }),
  note: z.never(),
  effectful: false,
});
