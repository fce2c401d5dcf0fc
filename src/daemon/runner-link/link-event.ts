/** What happened to the Runner, for the daemon's log. */
export type LinkEvent =
  | { readonly event: 'runner_started'; readonly pid: number | undefined }
  | { readonly event: 'runner_connected'; readonly pid: number; readonly instance_id: string; readonly version: string }
  | { readonly event: RunnerTurn; readonly pid: number }
  /** One of an older version goes on under the settings that it has, until it is replaced. */
  | { readonly event: 'runner_settings_refused'; readonly pid: number; readonly reason: string }
  | { readonly event: 'runner_unreachable'; readonly reason: string; readonly retry_in_ms: number };

type RunnerTurn = 'runner_lost' | 'runner_silent' | 'runner_responds' | 'runner_replaced' | 'runner_ended' | 'runner_killed';
