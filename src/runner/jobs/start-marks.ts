import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listProcesses, type ProcessEntry } from '../process/process-table.js';
import { ProcessTree } from '../process/process-tree.js';
import { carriesExecution, provenGroup } from './proven-group.js';

/** Every mark has a place of its own; ids are shorter. */
const MARK_BYTES = 64;
const MARKS_FILE = 'starting';

/**
 * What this Runner is starting and nothing else has on record yet, on disk before the
 * process is: so that the next Runner finds also what was started in the last moment
 * of this one. A mark is written at once, into the page cache, and costs no more.
 */
export class StartMarks {
  private file: number | null = null;
  private readonly free: number[] = [];
  private places = 0;
  private closed = false;

  constructor(
    private readonly folder: string,
    private readonly onFault: (error: unknown) => void,
  ) {}

  /**
   * Marks a start.
   *
   * @param id what the process and all that it starts carry in `EXECUTION_VARIABLE`
   * @returns takes the mark away, once: the process is on record, has ended, or never was
   */
  begin(id: string): () => void {
    const place = this.free.pop() ?? this.places++;
    this.write(place, id);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.write(place, '');
      this.free.push(place);
    };
  }

  close(): void {
    this.closed = true;
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  /** A mark that can not be written is told, and costs only that. */
  private write(place: number, id: string): void {
    if (this.closed) return;
    try {
      this.file ??= openSync(join(this.folder, MARKS_FILE), 'w', 0o600);
      writeSync(this.file, id.padEnd(MARK_BYTES), place * MARK_BYTES);
    } catch (error) {
      this.onFault(error);
    }
  }
}

/**
 * Ends what a dead Runner of this boot was starting. A process is known by the id that it
 * inherited; where the system does not show that, nothing is ended.
 *
 * @param graceMs from SIGTERM to SIGKILL
 */
export async function endMarkedStarts(folder: string, graceMs: number): Promise<void> {
  const marks = (await readMarks(folder)).match(/\S+/g) ?? [];
  await Promise.all(
    marks.map(async (id) => {
      const first = await firstCarrier(id);
      if (first === null) return;
      const pid = first.session ?? first.group;
      await new ProcessTree(pid, provenGroup({ pid, startTime: first.startTime, executionId: id })).end(graceMs);
    }),
  );
}

/** The process that was started, or the oldest that is left of it: what left its session later is not looked for. */
async function firstCarrier(id: string): Promise<ProcessEntry | null> {
  let first: ProcessEntry | null = null;
  for (const entry of await listProcesses()) {
    const isOlder = first === null || Number(entry.startTime) < Number(first.startTime);
    if (isOlder && (await carriesExecution(entry.pid, id))) first = entry;
  }
  return first;
}

async function readMarks(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, MARKS_FILE), 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
