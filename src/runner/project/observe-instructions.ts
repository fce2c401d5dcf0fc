import type { z } from 'zod';
import type { observeInstructionsMethod } from '../../protocol/runner/project.js';
import type { ProjectRoot, Refusal } from '../../protocol/runner/project-root.js';
import { verifyRoot } from '../confinement/index.js';
import { isRefusal } from '../request.js';
import { fileDigest } from './file-digest.js';

/** Where coding agents look for a project's instructions, most general first. */
const INSTRUCTION_FILES: readonly string[] = [
  'AGENTS.md',
  'CLAUDE.md',
  '.claude/CLAUDE.md',
  'GEMINI.md',
  '.github/copilot-instructions.md',
];

/** Instructions are prose; something larger is not what its name says. */
const MAX_INSTRUCTION_BYTES = 1024 * 1024;

const ABSENT: ReadonlySet<string> = new Set(['not_found', 'not_directory']);

type InstructionObservation = z.output<typeof observeInstructionsMethod.result>;

/** Hashes the instruction files that are there. One that cannot be read is named, never taken for absent. */
export async function observeInstructions(root: ProjectRoot): Promise<InstructionObservation | Refusal> {
  const verified = await verifyRoot(root);
  if (isRefusal(verified)) return verified;
  const observation: InstructionObservation = { sources: [], unreadable: [] };
  for (const path of INSTRUCTION_FILES) {
    const digest = await fileDigest(verified, path, MAX_INSTRUCTION_BYTES);
    if (!isRefusal(digest)) {
      observation.sources.push({
        source_scope: 'project',
        path,
        fingerprint: digest.sha256,
        bytes: digest.bytes,
      });
    } else if (!ABSENT.has(digest.refused.error_kind)) {
      observation.unreadable.push({ path, reason_code: digest.refused.error_kind });
    }
  }
  return observation;
}
