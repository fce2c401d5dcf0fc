import { readFilesMethod } from '../../protocol/runner/files.js';
import { observeInstructionsMethod } from '../../protocol/runner/project.js';
import type { JsonObject } from '../../protocol/tool-result.js';
import type { ResolvedProject } from '../kernel/call-context.js';
import { redactText } from '../redaction/index.js';
import type { RunnerPort } from '../runner-link/port.js';
import type { Material } from './material.js';

const BOUND_MS = 10_000;
const TEXT_BYTES_MAX = 20 * 1024;
const LINES_MAX = 5_000;

type Source = { readonly path: string; readonly fingerprint: string; readonly content: string; readonly content_truncated: boolean };

/** `project.instructions`: the project's instruction files as they are now, or nothing that could be taken for them. */
export async function projectInstructions(runner: RunnerPort, project: ResolvedProject): Promise<Material> {
  const root = { path: project.path, fingerprint: project.rootFingerprint };
  const signal = AbortSignal.timeout(BOUND_MS);
  const incomplete = { reason: 'project_instructions_observation_incomplete' } as const;
  const observed = await runner.call(observeInstructionsMethod, { root }, { signal });
  if ('failure' in observed || observed.answer.unreadable.length > 0) return incomplete;
  const { sources } = observed.answer;
  if (sources.length === 0) return { projection: { status: 'not_found', sources: [] } };
  const items = sources.map(({ path }) => ({ path, start_line: 1, limit: LINES_MAX }));
  const read = await runner.call(readFilesMethod, { root, project: project.id, items, max_text_bytes: TEXT_BYTES_MAX }, { signal });
  if ('failure' in read) return incomplete;
  const shown: Source[] = [];
  for (const [index, source] of sources.entries()) {
    const item = read.answer.items[index];
    // A file that changed between the two looks is no one file.
    if (item?.success !== true || item.sha256 !== source.fingerprint) return incomplete;
    const { text } = redactText(item.text);
    shown.push({ path: source.path, fingerprint: source.fingerprint, content: text, content_truncated: item.line_count < item.total_lines });
  }
  return { projection: { status: 'loaded', sources: shown } };
}

/** The same in fewer bytes: the ends of the texts go, the longest text first. */
export function shortenInstructions(projection: JsonObject, bytes: number): JsonObject | null {
  const sources = [...(projection['sources'] as readonly Source[])];
  for (;;) {
    const shorter = { ...projection, sources };
    const over = Buffer.byteLength(JSON.stringify(shorter)) - bytes;
    if (over <= 0) return shorter;
    const longest = sources.reduce((best, { content }, index) => (content.length > (sources[best]?.content.length ?? 0) ? index : best), 0);
    const source = sources[longest];
    if (source === undefined || source.content === '') return null;
    // Escapes make JSON longer than its text, so that this comes near in a few steps.
    const characters = [...source.content];
    const keep = Math.max(0, Math.min(characters.length - 1, Math.floor(characters.length - over / 2)));
    sources[longest] = { ...source, content: characters.slice(0, keep).join(''), content_truncated: true };
  }
}
