import type { z } from 'zod';
import type { CargoSelection } from './adapters/rust/cargo-run.js';

interface GivenSelection {
  readonly package?: string | undefined;
  readonly packages?: readonly string[] | undefined;
  readonly features: readonly string[];
  readonly all_targets: boolean;
  readonly all_features: boolean;
  readonly no_default_features: boolean;
  readonly lib?: boolean;
}

/** `package` and `packages` are two forms of one thing. */
export function onePackageForm(given: GivenSelection, context: z.RefinementCtx): void {
  if (given.package === undefined || given.packages === undefined) return;
  context.addIssue({ code: 'custom', path: ['packages'], message: 'not together with package' });
}

/** A selection as the cargo tools take it. */
export function cargoSelection(given: GivenSelection): CargoSelection {
  return {
    packages: given.package === undefined ? (given.packages ?? []) : [given.package],
    workspace: false,
    features: given.features,
    allTargets: given.all_targets,
    allFeatures: given.all_features,
    noDefaultFeatures: given.no_default_features,
    lib: given.lib ?? false,
  };
}
