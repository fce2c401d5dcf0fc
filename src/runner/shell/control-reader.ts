import type { Token } from './frame-text.js';

/** The longest field of a control frame. */
const MAX_FIELD_BYTES = 8 * 1_024;
const NOTHING = Buffer.alloc(0);

/** How a command ended, as its shell says. */
export interface ControlFrame {
  readonly status: number;
  /** The shell's working folder without links; empty when it is in none any more. */
  readonly cwd: string;
}

/**
 * The control stream of a shell: finds the one frame `token NUL status NUL cwd NUL`, with
 * a line break behind the folder, however it is cut into reads. Whatever else was written
 * there, frames with other tokens included, is passed over.
 */
export class ControlReader {
  private awaited: Buffer | null = null;
  private buffered = NOTHING;

  /** @param onFrame null when the awaited frame is none: a field that is too long, a status that is no number */
  constructor(private readonly onFrame: (frame: ControlFrame | null) => void) {}

  begin(token: Token): void {
    this.awaited = Buffer.from(`${token}\0`);
    this.buffered = NOTHING;
  }

  feed(bytes: Buffer): void {
    const { awaited } = this;
    if (awaited === null) return;
    const all = Buffer.concat([this.buffered, bytes]);
    const at = all.indexOf(awaited);
    if (at === -1) {
      this.buffered = Buffer.from(all.subarray(Math.max(0, all.length - awaited.length + 1)));
      return;
    }
    const fields = all.subarray(at + awaited.length);
    const statusEnd = fields.indexOf(0);
    const cwdEnd = statusEnd === -1 ? -1 : fields.indexOf(0, statusEnd + 1);
    const tooLong = fields.length > 2 * MAX_FIELD_BYTES || cwdEnd - statusEnd > MAX_FIELD_BYTES + 2;
    if (cwdEnd === -1 && !tooLong) {
      this.buffered = Buffer.from(all.subarray(at));
      return;
    }
    this.awaited = null;
    this.buffered = NOTHING;
    this.onFrame(tooLong ? null : frameOf(fields.toString('utf8', 0, statusEnd), fields.toString('utf8', statusEnd + 1, cwdEnd)));
  }
}

function frameOf(status: string, cwd: string): ControlFrame | null {
  if (!/^[0-9]{1,3}$/.test(status)) return null;
  return { status: Number(status), cwd: cwd.endsWith('\n') ? cwd.slice(0, -1) : cwd };
}
