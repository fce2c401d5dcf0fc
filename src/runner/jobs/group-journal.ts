import { open, readFile, rename, writeFile, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PURPOSES, SCRIPT_LANGUAGES } from '../../protocol/execution-state.js';
import type { JobId, OutputId } from '../../protocol/ids.js';
import type { Json } from '../../protocol/tool-result.js';
import { findProcess, type ProcessEntry } from '../process/process-table.js';
import type { JobIdentity } from './job.js';

/** When the record is written anew without what has ended. */
const COMPACT_AT_BYTES = 1_024 * 1_024;
/** On macOS, asking for a start time costs a process. */
const SOON_MS = process.platform === 'linux' ? 2 : 20;

const identitySchema = z.strictObject({
  jobId: z.string().transform((text) => text as JobId),
  outputId: z.string().transform((text) => text as OutputId),
  executionId: z.string(),
  project: z.string(),
  sessionId: z.string().nullable(),
  source: z.string(),
  purpose: z.enum(PURPOSES),
  commandPreview: z.string(),
  argCount: z.int().nullable(),
  scriptLanguage: z.enum(SCRIPT_LANGUAGES).nullable(),
  scriptBytes: z.int().nullable(),
  stdinProvided: z.boolean(),
  timeoutMs: z.int(),
  createdAtMs: z.int(),
  annotations: z.record(z.string(), z.custom<Json>()),
  resource: z.string().exactOptional(),
});

const entrySchema = z.union([
  /** Waits for a slot; has no process yet. */
  z.strictObject({ queued: identitySchema }),
  z.strictObject({ started: identitySchema, pid: z.int(), start_time: z.string() }),
  z.strictObject({ ended: z.string() }),
]);
type Entry = z.input<typeof entrySchema>;

/** An execution that had not ended when the record stopped. */
export interface OpenEntry {
  readonly identity: JobIdentity;
  /** Null when its process was never started. */
  readonly group: { readonly pid: number; readonly startTime: string } | null;
}

/**
 * The record of the process groups that this Runner has started, so that the next one
 * can end what is left of them after a crash (spec 00, decision 1). Lines are appended
 * in order, off the way of the calls; a failure to write is told, and costs only that.
 */
export class GroupJournal {
  /** What has not ended; null until the start time of its process is known. */
  private readonly alive = new Map<JobId, Entry | null>();
  private lines: string[] = [];
  private writing: Promise<void> | null = null;
  private file: FileHandle | null = null;
  private size = 0;

  constructor(
    private readonly path: string,
    private readonly onFault: (error: unknown) => void,
  ) {}

  /** Notes a Job that waits for its turn; settles when it is written. */
  async queued(identity: JobIdentity): Promise<void> {
    this.note(identity.jobId, { queued: identity });
    await this.writing;
  }

  /**
   * Notes a group that was started: `at_once` when somebody is to rely on it, else a
   * moment later, when most commands have ended and leave nothing to end.
   *
   * @returns settles when it is written, or need not be any more
   */
  async started(identity: JobIdentity, pid: number, when: 'at_once' | 'soon'): Promise<void> {
    if (!this.alive.has(identity.jobId)) this.alive.set(identity.jobId, null);
    if (when === 'soon') await sleep(SOON_MS);
    const found = this.alive.has(identity.jobId) ? await this.look(pid) : null;
    if (found === null || !this.alive.has(identity.jobId)) return;
    this.note(identity.jobId, { started: identity, pid, start_time: found.startTime });
    await this.writing;
  }

  ended(jobId: JobId): void {
    const entry = this.alive.get(jobId);
    this.alive.delete(jobId);
    if (entry !== undefined && entry !== null) this.append({ ended: jobId });
  }

  /** Writes everything noted so far; nothing may be noted afterwards. */
  async close(): Promise<void> {
    while (this.writing !== null) await this.writing;
    await this.file?.close();
    this.file = null;
  }

  private async look(pid: number): Promise<ProcessEntry | null> {
    try {
      return await findProcess(pid);
    } catch (error) {
      this.onFault(error);
      return null;
    }
  }

  private note(jobId: JobId, entry: Entry): void {
    this.alive.set(jobId, entry);
    this.append(entry);
  }

  private append(entry: Entry): void {
    this.lines.push(`${JSON.stringify(entry)}\n`);
    this.writing ??= this.writeAll();
  }

  private async writeAll(): Promise<void> {
    try {
      while (this.lines.length > 0) {
        if (this.size > COMPACT_AT_BYTES) await this.compact();
        const text = this.lines.splice(0).join('');
        this.file ??= await open(this.path, 'a', 0o600);
        await this.file.write(text);
        this.size += text.length;
      }
    } catch (error) {
      this.onFault(error);
    } finally {
      this.writing = null;
    }
  }

  private async compact(): Promise<void> {
    this.lines = [];
    const text = [...this.alive.values()].flatMap((entry) => (entry === null ? [] : [`${JSON.stringify(entry)}\n`])).join('');
    await writeFile(`${this.path}.new`, text, { mode: 0o600 });
    await rename(`${this.path}.new`, this.path);
    await this.file?.close();
    this.file = null;
    this.size = text.length;
  }
}

/** What had not ended in the record of a Runner that is dead. A last line that is not whole is passed over. */
export async function readOpenEntries(path: string): Promise<OpenEntry[]> {
  const open = new Map<string, OpenEntry>();
  for (const line of (await readText(path)).split('\n')) {
    const entry = parseEntry(line);
    if (entry === null) continue;
    if ('ended' in entry) open.delete(entry.ended);
    else if ('queued' in entry) open.set(entry.queued.jobId, { identity: entry.queued, group: null });
    else open.set(entry.started.jobId, { identity: entry.started, group: { pid: entry.pid, startTime: entry.start_time } });
  }
  return [...open.values()];
}

function parseEntry(line: string): z.output<typeof entrySchema> | null {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
