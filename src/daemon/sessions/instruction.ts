import { failure, type Failure } from '../../protocol/tool-result.js';
import { exceedsCharacters, redactAndBound } from '../redaction/index.js';
import { INSTRUCTION_CHARACTERS } from './limits.js';

/**
 * Checks an instruction (spec 01 §9: 1..4,000 characters after trimming) and gives back
 * what may be stored of it: the text without its credentials.
 */
export function storableInstruction(
  raw: string,
): { readonly instruction: string } | { readonly failure: Failure } {
  const instruction = raw.trim();
  if (instruction === '' || exceedsCharacters(instruction, INSTRUCTION_CHARACTERS)) {
    return {
      failure: failure(
        'invalid_coding_instruction',
        `the instruction has 1 to ${INSTRUCTION_CHARACTERS} characters; put longer texts into a file and name it`,
        { state_changed: false },
      ),
    };
  }
  return { instruction: redactAndBound(instruction, INSTRUCTION_CHARACTERS).text };
}

/** What may be stored of a title: one that is blank is none. */
export function storableTitle(raw: string | null): string | null {
  const title = raw?.trim() ?? '';
  return title === '' ? null : redactAndBound(title, INSTRUCTION_CHARACTERS).text;
}
