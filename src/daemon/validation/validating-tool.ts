import { EXECUTING_TOOL } from '../execution/index.js';
import type { ToolFacts } from '../../protocol/tool-definition.js';
import { validatorOutput } from './validator-output.js';

/** What every structured validator has in common; a definition spreads it first. */
export const VALIDATING_TOOL = {
  ...EXECUTING_TOOL,
  category: 'validation',
  captures_validation_output: true,
  output: validatorOutput,
} as const satisfies Partial<ToolFacts> & { readonly output: unknown };
