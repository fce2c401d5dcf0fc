import type { WindowTiming } from '../kernel/ports.js';

const ACTIVE_MAX = 64;
const ANCHORS_MAX = 256;

/** A call under way, as the order of its window's calls goes. */
export interface ActiveCall {
  /** Window and principal: nothing else makes two calls neighbours. */
  readonly key: string;
  readonly tool: string;
  readonly meaningful: boolean;
  readonly observedAtMs: number;
  readonly traceId: string;
}

type Timing = Omit<WindowTiming, 'recorderGap'>;

interface Tracked extends ActiveCall {
  tainted: boolean;
  readonly arrival: Pick<Timing, 'transition' | 'previousMeaningfulCall'>;
}

/**
 * Which meaningful call of a window came right after which (spec 02 §D4). A call that ended
 * cleanly waits as an anchor for the next one of its window; calls that overlap prove
 * nothing about each other, and neither does time that passed.
 */
export class LoopTiming {
  private readonly active = new Set<Tracked>();
  /** The last clean call of each window; the one longest ago first. */
  private readonly anchors = new Map<string, { readonly traceId: string; readonly handedAtMs: number }>();

  /** A call arrives; the returned function is called once, when its answer was handed over. */
  arrive(call: ActiveCall): (end: { readonly handedAtMs: number; readonly streaming: boolean; readonly clean: boolean }) => Timing {
    const inFlight = [...this.active].filter(({ key, meaningful }) => key === call.key && meaningful);
    const tracked: Tracked = { ...call, tainted: false, arrival: this.arrivalOf(call, inFlight) };
    if (tracked.arrival.transition === 'overlap') for (const other of [tracked, ...inFlight]) other.tainted = true;
    this.active.add(tracked);
    if (this.active.size > ACTIVE_MAX) this.forgetOldest();
    return ({ handedAtMs, streaming, clean }) => {
      const known = this.active.delete(tracked);
      const eligible = call.meaningful && known && clean && !streaming && !tracked.tainted;
      if (eligible) this.setAnchor(call.key, { traceId: call.traceId, handedAtMs });
      return { ...tracked.arrival, continuityEligible: eligible, meaningful: call.meaningful };
    };
  }

  /** The calls of a window that are under way, the newest first. */
  underWay(key: string): readonly ActiveCall[] {
    return [...this.active].filter((call) => call.key === key).reverse();
  }

  private arrivalOf(call: ActiveCall, inFlight: readonly Tracked[]): Tracked['arrival'] {
    const alone = { transition: 'unavailable', previousMeaningfulCall: null } as const;
    if (!call.meaningful) return alone;
    const anchor = this.anchors.get(call.key);
    this.anchors.delete(call.key);
    const early = anchor !== undefined && call.observedAtMs < anchor.handedAtMs;
    if (inFlight.length > 0 || early) return { transition: 'overlap', previousMeaningfulCall: null };
    return anchor === undefined ? alone : { transition: 'serial', previousMeaningfulCall: anchor.traceId };
  }

  private setAnchor(key: string, anchor: { readonly traceId: string; readonly handedAtMs: number }): void {
    this.anchors.delete(key);
    this.anchors.set(key, anchor);
    if (this.anchors.size <= ANCHORS_MAX) return;
    const [oldest] = this.anchors.keys();
    if (oldest !== undefined) this.anchors.delete(oldest);
  }

  private forgetOldest(): void {
    const [oldest] = this.active;
    if (oldest !== undefined) this.active.delete(oldest);
  }
}
