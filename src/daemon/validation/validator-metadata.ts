import { z } from 'zod';
import type { Json } from '../../protocol/tool-result.js';
import { VALIDATION_KINDS } from '../kernel/validation-evidence.js';
import type { ParserId, ValidatorRun } from './adapter.js';
import { scopeIdentity, validationTargetId } from './target-identity.js';

/** What a Job keeps of the validator's run that it is, so that its end can be read without the call. */
const metadataSchema = z.object({
  validation_target_id: z.string().regex(/^[0-9a-f]{24}$/),
  validation_kind: z.enum(VALIDATION_KINDS),
  validation_scope: z.string(),
  validation_parser: z.string().regex(/^[a-z_]+\/[0-9]+$/),
  validation_hints: z.record(z.string(), z.string()),
  minimum_tests: z.int().positive().nullable(),
});

export interface ValidatorMetadata {
  readonly targetId: string;
  readonly kind: ValidatorRun['kind'];
  readonly scopeIdentity: string;
  readonly parser: ParserId;
  readonly hints: Readonly<Record<string, string>>;
  readonly minimumTests: number | null;
}

export function validatorMetadata(run: ValidatorRun): ValidatorMetadata {
  return {
    targetId: validationTargetId(run),
    kind: run.kind,
    scopeIdentity: scopeIdentity(run),
    parser: run.parser,
    hints: run.hints ?? {},
    minimumTests: run.minimumTests,
  };
}

/** The metadata as annotations of a Job. */
export function asAnnotations(metadata: ValidatorMetadata): Readonly<Record<string, Json>> {
  return {
    validation_target_id: metadata.targetId,
    validation_kind: metadata.kind,
    validation_scope: metadata.scopeIdentity,
    validation_parser: metadata.parser,
    validation_hints: metadata.hints,
    minimum_tests: metadata.minimumTests,
  };
}

/** The metadata of a Job; null when the Job is no validator's run, or one that we do not understand. */
export function fromAnnotations(annotations: Readonly<Record<string, Json>>): ValidatorMetadata | null {
  const read = metadataSchema.safeParse(annotations);
  if (!read.success) return null;
  const { data } = read;
  return {
    targetId: data.validation_target_id,
    kind: data.validation_kind,
    scopeIdentity: data.validation_scope,
    parser: data.validation_parser as ParserId,
    hints: data.validation_hints,
    minimumTests: data.minimum_tests,
  };
}
