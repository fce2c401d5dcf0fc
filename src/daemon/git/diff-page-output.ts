import { z } from 'zod';

/** What a page of a diff holds. */
export const diffPageOutput = z.looseObject({
  scope: z.enum(['workspace', 'unstaged', 'staged', 'commits']),
  snapshot: z.string(),
  files: z.array(z.looseObject({ path: z.string() })).optional(),
  hunks: z.array(z.looseObject({ path: z.string(), text: z.string() })),
  more_hunks: z.boolean(),
  continuation: z.string().nullable(),
});
