import { CAPTURE_BYTES } from '../../protocol/execution-limits.js';
import type { OutputStream, StreamReport } from '../../protocol/runner/jobs.js';
import { countNewlines } from '../output/lines.js';
import { reportStream } from '../output/stream-slice.js';
import { TailRing } from '../output/tail-ring.js';

/** One stream of a command: its end, and how much there was. */
class StreamEnd {
  private readonly ring = new TailRing(CAPTURE_BYTES);
  private bytes = 0;
  private newlines = 0;
  private lastByte = 0x0a;

  append(chunk: Buffer): void {
    this.ring.append(chunk);
    this.bytes += chunk.length;
    this.newlines += countNewlines(chunk);
    this.lastByte = chunk.at(-1) ?? this.lastByte;
  }

  report(growing: boolean): StreamReport {
    const held = this.ring.content();
    const lines = this.newlines + (this.lastByte === 0x0a ? 0 : 1);
    return reportStream(
      { bytes: held, startLine: this.newlines - countNewlines(held) + 1, byteBefore: this.ring.byteBefore, growing },
      { bytes: this.bytes, lines, dropped_bytes: 0 },
    );
  }
}

/** What a command in a shell printed: the end of each stream by itself, within fixed memory. */
export class CommandOutput {
  private readonly ends: Readonly<Record<OutputStream, StreamEnd>> = { stdout: new StreamEnd(), stderr: new StreamEnd() };

  append(stream: OutputStream, bytes: Buffer): void {
    this.ends[stream].append(bytes);
  }

  /** @param growing whether more may come, so that a last character that is not whole is kept back */
  report(growing: boolean): Readonly<Record<OutputStream, StreamReport>> {
    return { stdout: this.ends.stdout.report(growing), stderr: this.ends.stderr.report(growing) };
  }
}
