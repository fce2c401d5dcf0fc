/** What a look at a folder proves when it refuses: nothing was made or changed. */
export const UNCHANGED = { state_changed: false } as const;
