import type { ProjectId, SessionId } from '../../protocol/ids.js';

/** Who left a file as it is. */
export interface Writer {
  readonly principalKey: string;
  /** The Session that the writing call was about or recorded in. */
  readonly sessionId: SessionId | null;
  /** Unix seconds. */
  readonly at: number;
}

const MAX_FILES = 4096;

/**
 * Remembers which call wrote a file last, by what it wrote: whoever changed the file
 * since then is not that call. Bounded; the oldest are forgotten.
 */
export class LastWriters {
  private readonly writers = new Map<string, Writer & { readonly sha256: string }>();

  wrote(project: ProjectId, path: string, sha256: string, writer: Writer): void {
    const key = keyOf(project, path);
    this.writers.delete(key);
    this.writers.set(key, { ...writer, sha256 });
    const [oldest] = this.writers.keys();
    if (this.writers.size > MAX_FILES && oldest !== undefined) this.writers.delete(oldest);
  }

  /** The writer of exactly this content, or null when it was nobody we know. */
  of(project: ProjectId, path: string, sha256: string): Writer | null {
    const known = this.writers.get(keyOf(project, path));
    if (known?.sha256 !== sha256) return null;
    const { principalKey, sessionId, at } = known;
    return { principalKey, sessionId, at };
  }

  get size(): number {
    return this.writers.size;
  }
}

function keyOf(project: ProjectId, path: string): string {
  return `${project}\0${path}`;
}
