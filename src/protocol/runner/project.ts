import { z } from 'zod';
import { runnerMethod } from './method.js';
import { projectRootSchema } from './project-root.js';

const nothing = z.never();

/**
 * The folders that a caller may reach (spec 00, decision 51), absolute; null when the
 * operating system's permissions are the only bound.
 */
const allowedRoots = z.array(z.string()).readonly().nullable();

/** A folder as it was just found. */
export const inspectedFolderSchema = z.strictObject({
  /** Absolute, with every link resolved. */
  path: z.string(),
  fingerprint: z.string(),
  writable: z.boolean(),
  /** The top of the Git work tree that the folder lies in, or null. */
  git_work_tree: z.string().nullable(),
});
/** A folder, inspected. */
export type InspectedFolder = z.infer<typeof inspectedFolderSchema>;

/** What an absolute path leads to. Anything but a folder inside the allowed roots is a refusal. */
export const inspectFolderMethod = runnerMethod({
  name: 'project/inspect_folder',
  params: z.strictObject({ path: z.string(), allowed_roots: allowedRoots }),
  result: inspectedFolderSchema,
  note: nothing,
  effectful: false,
});

/** What a new project may start with. */
export const PROJECT_TEMPLATES = ['empty', 'basic'] as const;

/** Makes the folder of a new project; one that exists is adopted only when it is empty and that was asked for. */
export const createFolderMethod = runnerMethod({
  name: 'project/create_folder',
  params: z.strictObject({
    path: z.string(),
    allowed_roots: allowedRoots,
    name: z.string(),
    template: z.enum(PROJECT_TEMPLATES),
    git_init: z.boolean(),
    adopt_existing_empty: z.boolean(),
  }),
  result: z.strictObject({
    folder: inspectedFolderSchema,
    /** Whether the folder was made, or an empty one adopted. */
    created: z.boolean(),
    /** Relative paths of the template's files. */
    files: z.array(z.string()),
    git_initialized: z.boolean(),
  }),
  note: nothing,
  effectful: true,
});

/** An instruction file that was found and read to its end; its text stays in the project. */
const instructionSourceSchema = z.strictObject({
  source_scope: z.literal('project'),
  path: z.string(),
  /** Lower hex SHA-256 of its bytes. */
  fingerprint: z.string(),
  bytes: z.number().int(),
});
/** One instruction file. */
export type InstructionSource = z.infer<typeof instructionSourceSchema>;

/** Looks at the instruction files of a project: which there are, and what their bytes hash to. */
export const observeInstructionsMethod = runnerMethod({
  name: 'project/observe_instructions',
  params: z.strictObject({ root: projectRootSchema }),
  result: z.strictObject({
    sources: z.array(instructionSourceSchema),
    /** Instruction files that are there but could not be read, with the reason. */
    unreadable: z.array(z.strictObject({ path: z.string(), reason_code: z.string() })),
  }),
  note: nothing,
  effectful: false,
});

/** What a task says that it made: a file inside the project, by its SHA-256. */
const outputReceiptSchema = z.strictObject({
  path: z.string(),
  status: z.enum(['present', 'missing', 'refused']),
  sha256: z.string().nullable(),
  bytes: z.number().int().nullable(),
  /** An error kind when the file is not there or must not be looked at. */
  reason_code: z.string().nullable(),
});
/** The receipt of one declared output. */
export type OutputReceipt = z.infer<typeof outputReceiptSchema>;

/** Hashes declared outputs; each path answers for itself, in the order given. */
export const receiptsMethod = runnerMethod({
  name: 'project/receipts',
  params: z.strictObject({ root: projectRootSchema, paths: z.array(z.string()).max(16) }),
  result: z.strictObject({ receipts: z.array(outputReceiptSchema) }),
  note: nothing,
  effectful: false,
});
