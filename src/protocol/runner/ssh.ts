import { z } from 'zod';
import { runnerMethod } from './method.js';

/** What a remote working folder may be, in UTF-8 bytes. */
export const MAX_REMOTE_CWD_BYTES = 4_096;
/** A whole remote command as one word of the remote login shell, in UTF-8 bytes (spec 03 §3). */
export const MAX_REMOTE_COMMAND_BYTES = 65_536;

/** The name of a resource: how Sessions speak of a host that they never see. */
export const resourceName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,80}$/)
  .refine((name) => !name.includes('..'), 'holds ".."')
  // A record of names can not hold it as one of its own.
  .refine((name) => name !== '__proto__', 'is "__proto__"');

/** A destination as the user's own `ssh` takes it: an alias, `user@host`, or an `ssh://` address. */
export const resourceHost = z
  .string()
  .min(1)
  .max(512)
  .refine((host) => !/\p{Cc}/u.test(host), 'holds a control character')
  .refine((host) => !host.startsWith('-'), 'begins with "-"');

/** A folder on a resource: absolute, relative to the login folder, or behind `~/`. */
export const remoteFolder = z
  .string()
  .min(1)
  .refine((folder) => Buffer.byteLength(folder) <= MAX_REMOTE_CWD_BYTES, `more than ${MAX_REMOTE_CWD_BYTES} UTF-8 bytes`)
  .refine((folder) => !/\p{Cc}/u.test(folder), 'holds a control character');

/** A host that the user's own `ssh` reaches; everything else about it is their SSH configuration (spec 03 §11). */
const openSshResourceSchema = z.strictObject({
  transport: z.literal('openssh').default('openssh'),
  host: resourceHost,
  default_cwd: remoteFolder.optional(),
});

/** A name or an address, as `known_hosts` has it. */
const hostName = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9_.:%][A-Za-z0-9_.:%-]*$/, 'is no host name or address');

/** A file of this machine: absolute, or behind `~/`. */
const localFile = z
  .string()
  .max(4_096)
  .regex(/^~?\//, 'is neither absolute nor behind "~/"')
  .refine((path) => !/\p{Cc}/u.test(path), 'holds a control character');

/** A host that the Runner itself reaches; no SSH configuration has a part in it (decision 18). */
const ssh2ResourceSchema = z.strictObject({
  transport: z.literal('ssh2'),
  host: hostName,
  port: z.int().min(1).max(65_535).default(22),
  user: z
    .string()
    .min(1)
    .max(255)
    .refine((user) => !/\p{Cc}/u.test(user), 'holds a control character'),
  /** The private key; without it, the agent's keys. */
  identity_file: localFile.optional(),
  default_cwd: remoteFolder.optional(),
});
export type Ssh2Resource = z.output<typeof ssh2ResourceSchema>;

/** How a resource is reached. */
export const SSH_TRANSPORTS = ['openssh', 'ssh2'] as const;

/** A host that Sessions may work on. */
export const sshResourceSchema = z.discriminatedUnion('transport', [openSshResourceSchema, ssh2ResourceSchema]);
export type SshResource = z.output<typeof sshResourceSchema>;

/** The resources of this machine, by name. */
export const sshResourcesSchema = z
  .record(resourceName, sshResourceSchema)
  .refine((given) => Object.keys(given).length <= 64, 'more than 64 resources');

/** Where a remote execution belongs; its working folder stands here, since none of this machine's is meant. */
export const remotePlaceSchema = z.strictObject({
  resource: z.string(),
  /** Null takes the resource's own default, else the login folder. */
  cwd: z.string().nullable(),
});
export type RemotePlace = z.output<typeof remotePlaceSchema>;

/** Whether the processes of a remote command were seen to be gone after it was to end. */
export const REMOTE_TERMINATIONS = ['confirmed', 'unverified'] as const;
export type RemoteTermination = (typeof REMOTE_TERMINATIONS)[number];

/** What a remote execution failed with beyond its state; each is an error kind of the tools. */
export const REMOTE_ERROR_CODES = ['ssh_transport_failed', 'ssh_command_wait_failed'] as const;
export type RemoteErrorCode = (typeof REMOTE_ERROR_CODES)[number];

/** Why no authenticated connection came to be; said instead of `ssh`'s own words, which name the host. */
export const CONNECT_FAILURES = [
  'unreachable',
  'name_not_resolved',
  'host_key_unknown',
  'host_key_changed',
  'host_key_revoked',
  'identity_unusable',
  'authentication_failed',
  'handshake_timeout',
  'channel_refused',
  'connection_lost',
  'unknown',
] as const;
export type ConnectFailure = (typeof CONNECT_FAILURES)[number];

/** Lets go of the connections of a Session that is over; what runs on them goes on to its end. */
export const releaseConnectionsMethod = runnerMethod({
  name: 'ssh/release',
  params: z.strictObject({ session_id: z.string() }),
  result: z.strictObject({ released: z.int() }),
  note: z.never(),
  effectful: true,
});

/** What a look at a resource found, each fact null where it was not reached. */
export const resourceTestSchema = z.strictObject({
  reachable: z.boolean().nullable(),
  authenticated: z.boolean().nullable(),
  /** Whether a second channel went over the same connection. */
  multiplexed: z.boolean().nullable(),
  /** The login shell. */
  shell: z.string().nullable(),
  /** The login folder. */
  home: z.string().nullable(),
  /** From the start of the handshake to a connection that carries channels. */
  handshake_ms: z.int().nullable(),
  /** A command there and back on that connection. */
  latency_ms: z.int().nullable(),
  /** Null when commands can be run there. */
  reason_code: z.enum(CONNECT_FAILURES).nullable(),
});
export type ResourceTest = z.output<typeof resourceTestSchema>;

/**
 * Connects to a resource, runs two short commands there, and hangs up. Refusals:
 * `ssh_resource_not_found`, `capability_unavailable`.
 */
export const testResourceMethod = runnerMethod({
  name: 'ssh/test',
  params: z.strictObject({ resource: z.string() }),
  result: resourceTestSchema,
  note: z.never(),
  effectful: false,
});
