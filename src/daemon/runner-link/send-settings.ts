import { refusalSchema } from '../../protocol/runner/project-root.js';
import { configureMethod, type RunnerSettings } from '../../protocol/runner/settings.js';
import { patience } from './hello.js';
import type { RunnerConnection } from './runner-connection.js';

/**
 * Tells a Runner its settings before it serves a call, so that no start is judged by
 * other ones. Null when they are in force; else the rest of a sentence that begins "The
 * Runner is not available: ".
 */
export async function sendSettings(connection: RunnerConnection, settings: RunnerSettings, withinMs: number): Promise<string | null> {
  const reply = await Promise.race([connection.request(configureMethod.name, settings), patience(withinMs)]);
  if (reply?.kind === 'answered' && !refusalSchema.safeParse(reply.value).success) return null;
  return `it did not take its settings (${reply?.kind ?? 'no answer in time'}); "wc daemon stop" replaces it`;
}
