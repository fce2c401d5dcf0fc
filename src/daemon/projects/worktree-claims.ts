/** Worktrees that a call works on now, by their operations; shared by all who make and remove them. */
export interface WorktreeClaims {
  /** Operations of calls that run: nobody else may take them up or remove them. */
  readonly making: Set<string>;
  /** Worktrees that are being removed: no Session begins on them. */
  readonly removing: Set<string>;
}

export function worktreeClaims(): WorktreeClaims {
  return { making: new Set(), removing: new Set() };
}

/** Whether an operation is somebody's now. */
export function isClaimed({ making, removing }: WorktreeClaims, operationId: string): boolean {
  return making.has(operationId) || removing.has(operationId);
}
