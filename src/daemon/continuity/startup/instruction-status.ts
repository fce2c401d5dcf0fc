import type { InstructionSource } from '../../../protocol/runner/project.js';

/** What is remembered of an instruction file: where it is and what its bytes hashed to. */
export type RememberedSource = Pick<InstructionSource, 'source_scope' | 'path' | 'fingerprint'>;

/** The project's instruction files as they were just found; null when nobody could look. */
export interface InstructionObservation {
  readonly sources: readonly RememberedSource[];
  /** How many are there and could not be read. */
  readonly unreadable: number;
}

/** What the instruction files are to a Session at the moment of a call. */
export type InstructionStatus = 'loaded' | 'reused' | 'changed' | 'not_found' | 'unavailable';

/**
 * What an observation is to a Session, given what the Session last saw (null for a
 * first look). A file that could not be read never counts as absent.
 */
export function instructionStatus(
  observed: InstructionObservation | null,
  remembered: readonly RememberedSource[] | null,
): InstructionStatus {
  if (observed === null) return 'unavailable';
  if (observed.sources.length === 0) return observed.unreadable > 0 ? 'unavailable' : 'not_found';
  if (remembered === null || remembered.length === 0) return 'loaded';
  return sameSources(observed.sources, remembered) ? 'reused' : 'changed';
}

function sameSources(one: readonly RememberedSource[], other: readonly RememberedSource[]): boolean {
  const key = ({ source_scope, path, fingerprint }: RememberedSource): string =>
    [source_scope, path, fingerprint].join('\0');
  const known = new Set(other.map(key));
  return one.length === known.size && one.every((source) => known.has(key(source)));
}
