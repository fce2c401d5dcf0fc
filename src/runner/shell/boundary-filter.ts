import { boundary, type Token } from './frame-text.js';

const NOTHING = Buffer.alloc(0);

/**
 * One output stream of a shell: passes on what a command prints, up to its boundary, and
 * drops everything between commands. A boundary is found and taken out however the
 * stream is cut into reads; what only looks like one is output.
 */
export class BoundaryFilter {
  private awaited: Buffer | null = null;
  /** The end of what came, as long as it may be the beginning of the boundary. */
  private held = NOTHING;

  /** @param onBytes gets views that are only good until it returns */
  constructor(
    private readonly onBytes: (bytes: Buffer) => void,
    private readonly onBoundary: () => void,
  ) {}

  /** A command begins, whose end is marked with this token. */
  begin(token: Token): void {
    this.awaited = boundary(token);
    this.held = NOTHING;
  }

  feed(bytes: Buffer): void {
    const { awaited } = this;
    if (awaited === null) return;
    const all = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    const found = all.indexOf(awaited);
    const end = found === -1 ? beginningOf(awaited, all) : found;
    this.held = found === -1 ? Buffer.from(all.subarray(end)) : NOTHING;
    if (end > 0) this.onBytes(all.subarray(0, end));
    if (found === -1) return;
    this.awaited = null;
    this.onBoundary();
  }

  /** Nothing more comes for the command: what was held back is output. */
  end(): void {
    const { held } = this;
    this.awaited = null;
    this.held = NOTHING;
    if (held.length > 0) this.onBytes(held);
  }
}

/** Where the longest end of `bytes` starts that the boundary could begin with; their length when there is none. */
function beginningOf(awaited: Buffer, bytes: Buffer): number {
  const first = awaited[0] ?? 0;
  for (let at = bytes.indexOf(first, Math.max(0, bytes.length - awaited.length + 1)); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (bytes.subarray(at).equals(awaited.subarray(0, bytes.length - at))) return at;
  }
  return bytes.length;
}
