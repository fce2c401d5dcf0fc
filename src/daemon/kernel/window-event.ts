/** One executed call of a window, as the Action Audit kept it. */
export interface WindowEvent {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly durationMs: number;
  readonly requestObservedAtMs: number | null;
  readonly responseHandedAtMs: number | null;
  readonly responseStreaming: boolean;
  readonly transition: string | null;
  readonly continuityEligible: boolean;
  readonly meaningful: boolean;
  readonly endpoint: string;
  readonly tool: string | null;
  readonly project: string | null;
  readonly status: string;
  readonly traceId: string | null;
  readonly links: readonly { readonly sessionId: string; readonly relation: string; readonly project: string | null }[];
}
