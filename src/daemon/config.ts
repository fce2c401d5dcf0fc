import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { runnerSettingsSchema, type RunnerSettings } from '../protocol/runner/settings.js';
import { issueMessage } from './kernel/issue-message.js';
import { StartRefused } from './state-folder.js';

const configSchema = z.strictObject({
  sessions: z
    .strictObject({
      hot_session_capacity_target: z.int().min(0).max(1_000_000).default(100),
      historical_session_retention_limit: z.int().min(0).max(1_000_000).default(100),
      max_events_per_session: z.int().min(1).max(1_000_000).default(2000),
      // A todo and its answer stand together.
      max_messages_per_session: z.int().min(2).max(100_000).default(200),
    })
    .prefault({}),
  runner: z
    .strictObject({
      ...runnerSettingsSchema.shape,
      env: z.enum(['login', 'inherit']).default('login'),
      noninteractive: z.boolean().default(true),
      max_concurrent_jobs: z.int().min(1).max(64).default(4),
      spool_max_bytes: z
        .int()
        .min(64 * 1024)
        .max(16 * 1024 * 1024 * 1024)
        .default(64 * 1024 * 1024),
      recovery_secs: z.int().min(5).max(3_600).default(120),
    })
    .superRefine(everyProfileExists)
    .prefault({}),
  audit: z
    .strictObject({
      retention_days: z.int().min(1).max(36_500).default(90),
      max_rows: z.int().min(1_000).max(1_000_000_000).default(1_000_000),
    })
    .prefault({}),
  mcp: z.strictObject({ text_copy: z.enum(['always', 'never']).default('always') }).prefault({}),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
      max_bytes: z
        .int()
        .min(64 * 1024)
        .max(1024 * 1024 * 1024)
        .default(10 * 1024 * 1024),
      files: z.int().min(1).max(100).default(3),
    })
    .prefault({}),
});

/** A named profile that is missing would fail every start: it is better said at once. */
function everyProfileExists(
  { profiles, default_profile: byDefault, project_profiles: byProject }: RunnerSettings,
  context: z.core.$RefinementCtx,
): void {
  const wanted: [string, readonly string[]][] = Object.entries(byProject).map(([project, name]) => [name, ['project_profiles', project]]);
  if (byDefault !== undefined) wanted.push([byDefault, ['default_profile']]);
  for (const [name, path] of wanted) {
    if (!Object.hasOwn(profiles, name)) context.addIssue({ code: 'custom', path: [...path], message: `there is no profile "${name}"` });
  }
}

/** What of the settings a Runner is told on the wire, and told anew when it is taken up. */
export function runnerSettings({ runner }: Config): RunnerSettings {
  return runnerSettingsSchema.parse(
    Object.fromEntries(Object.entries(runner).filter(([key]) => Object.hasOwn(runnerSettingsSchema.shape, key))),
  );
}

/** The daemon's settings, every default filled in. */
export type Config = z.output<typeof configSchema>;

/**
 * Reads `config.json`; a missing file means the defaults.
 *
 * @throws StartRefused naming the first key that is wrong
 */
export function readConfig(path: string): Config {
  return parseConfig(readText(path), path);
}

/** The settings in `text`, null for none; `path` is only for the message. */
export function parseConfig(text: string | null, path: string): Config {
  const parsed = configSchema.safeParse(text === null ? {} : parseJson(text, path), { error: issueMessage });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = issue?.path.map(String).join('.') ?? '';
  const key = issue?.code === 'unrecognized_keys' ? [at, issue.keys[0]].filter(Boolean).join('.') : at;
  const what = issue?.code === 'unrecognized_keys' ? 'there is no such key' : (issue?.message ?? 'it is not valid');
  throw new StartRefused(`${path}: ${key === '' ? 'the document' : `"${key}"`}: ${what}`);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StartRefused(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StartRefused(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
