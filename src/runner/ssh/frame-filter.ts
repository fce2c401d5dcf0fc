/** The longest frame: a marker, a kind, a pid, a shell and a folder. */
const MAX_FRAME_BYTES = 8 * 1_024;
const NOTHING = Buffer.alloc(0);

/** What the wrapper around a remote command says of it. */
export type RemoteFrame =
  /** The command is about to start: the wrapper leads the processes of it. */
  | { readonly kind: 'start'; readonly pid: number; readonly shell: 'sh' | 'bash'; readonly cwd: string }
  /** Its working folder could not be entered; nothing was started. */
  | { readonly kind: 'cwd' }
  /** There is no such shell there; nothing was started. */
  | { readonly kind: 'shell' }
  | { readonly kind: 'exit'; readonly status: number };

/** How many fields follow the kind, each with a NUL behind it. */
const FIELDS: Readonly<Record<string, number>> = { start: 3, cwd: 0, shell: 0, exit: 1 };

/**
 * The standard error of a remote command: takes the wrapper's frames out, however the
 * stream is cut into reads. What comes before the first one is the login shell's own, or
 * `ssh`'s, and is dropped; what only looks like a frame is output.
 */
export class FrameFilter {
  private readonly marker: Buffer;
  private held = NOTHING;
  private begun = false;

  /**
   * @param token the command's random word
   * @param onBytes gets views that are only good until it returns
   */
  constructor(
    token: string,
    private readonly onFrame: (frame: RemoteFrame) => void,
    private readonly onBytes: (bytes: Buffer) => void,
  ) {
    this.marker = Buffer.from(`\0${token}\0`);
  }

  feed(bytes: Buffer): void {
    let rest = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    this.held = NOTHING;
    while (rest.length > 0) {
      const at = rest.indexOf(this.marker);
      const end = at === -1 ? beginningOf(this.marker, rest) : at;
      this.pass(rest.subarray(0, end));
      if (at === -1) {
        this.held = Buffer.from(rest.subarray(end));
        return;
      }
      const frame = parseFrame(rest.subarray(at + this.marker.length));
      if (frame === 'unfinished') {
        this.held = Buffer.from(rest.subarray(at));
        return;
      }
      if (frame === 'none') {
        this.pass(rest.subarray(at, at + 1));
        rest = rest.subarray(at + 1);
        continue;
      }
      this.begun = true;
      this.onFrame(frame.frame);
      rest = rest.subarray(at + this.marker.length + frame.length);
    }
  }

  /** Nothing more comes: what was held back is output. */
  end(): void {
    const { held } = this;
    this.held = NOTHING;
    this.pass(held);
  }

  private pass(bytes: Buffer): void {
    if (this.begun && bytes.length > 0) this.onBytes(bytes);
  }
}

function parseFrame(bytes: Buffer): { readonly frame: RemoteFrame; readonly length: number } | 'unfinished' | 'none' {
  const fields: string[] = [];
  let from = 0;
  let wanted = 1;
  while (fields.length < wanted) {
    const end = bytes.indexOf(0, from);
    if (end === -1) return bytes.length > MAX_FRAME_BYTES ? 'none' : 'unfinished';
    fields.push(bytes.toString('utf8', from, end));
    from = end + 1;
    const more = FIELDS[fields[0] ?? ''];
    if (more === undefined) return 'none';
    wanted = 1 + more;
  }
  const frame = frameOf(fields);
  return frame === null ? 'none' : { frame, length: from };
}

function frameOf([kind, first = '', second = '', third = '']: readonly string[]): RemoteFrame | null {
  switch (kind) {
    case 'start':
      return /^[1-9][0-9]{0,9}$/.test(first) && (second === 'sh' || second === 'bash')
        ? { kind, pid: Number(first), shell: second, cwd: third }
        : null;
    case 'exit':
      return /^[0-9]{1,3}$/.test(first) ? { kind, status: Number(first) } : null;
    case 'cwd':
    case 'shell':
      return { kind };
    default:
      return null;
  }
}

/** Where the longest end of `bytes` starts that the marker could begin with; their length when there is none. */
function beginningOf(marker: Buffer, bytes: Buffer): number {
  for (let start = Math.max(0, bytes.length - marker.length + 1); start < bytes.length; start += 1) {
    if (marker.subarray(0, bytes.length - start).equals(bytes.subarray(start))) return start;
  }
  return bytes.length;
}
