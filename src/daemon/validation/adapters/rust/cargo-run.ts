import type { Purpose } from '../../../../protocol/execution-state.js';
import type { JsonObject } from '../../../../protocol/tool-result.js';
import type { ValidationKind } from '../../../kernel/validation-evidence.js';
import type { ParserHints, ParserId, ValidatorRun } from '../../adapter.js';
import { canonicalFolder, canonicalName, canonicalNames } from '../../canonical-target.js';

/** Which packages and features cargo is asked for. */
export interface CargoSelection {
  /** Package names; empty is cargo's own choice for the folder. */
  readonly packages: readonly string[];
  readonly workspace: boolean;
  readonly features: readonly string[];
  readonly allTargets: boolean;
  readonly allFeatures: boolean;
  readonly noDefaultFeatures: boolean;
  readonly lib: boolean;
}

/** What every cargo run is told beside its command. */
export interface CargoRequest {
  readonly tool: string;
  readonly cwd: string | null;
  readonly timeoutSecs: number;
  readonly hints?: ParserHints;
}

/** `cargo fmt [-- --check]`, of the folder's package, of named packages, or of the whole workspace. */
export function cargoFmtRun(
  request: CargoRequest,
  check: boolean,
  selection: Pick<CargoSelection, 'packages' | 'workspace'> = { packages: [], workspace: false },
): ValidatorRun {
  const packages = canonicalNames(selection.packages);
  const args = [
    'fmt',
    ...(selection.workspace ? ['--all'] : []),
    ...packages.flatMap((name) => ['--package', name]),
    ...(check ? ['--', '--check'] : []),
  ];
  return {
    ...base(request, 'format', 'format', 'rustfmt/1', args),
    target: {
      cwd: canonicalFolder(request.cwd),
      check,
      ...(selection.workspace ? { workspace: true } : {}),
      ...(packages.length > 0 ? { packages } : {}),
    },
    scope: {
      package: packages.length === 0 ? null : packages.join(' '),
      filter: null,
      features: [],
      targets: [...(selection.workspace ? ['--all'] : []), check ? 'check' : 'write'],
    },
    minimumTests: null,
  };
}

/** `cargo check` with its selection. */
export function cargoCheckRun(request: CargoRequest, selection: CargoSelection, locked = false): ValidatorRun {
  return {
    ...base(request, 'check', 'validation', 'cargo_check/1', ['check', ...selectionArgs(selection), ...lockedArgs(locked)]),
    target: selectionTarget(request, selection),
    scope: { ...selectionScope(selection), filter: null },
    minimumTests: null,
  };
}

export interface CargoTestChoice {
  readonly filter: string | null;
  readonly noRun: boolean;
  /** A failing harness does not keep the ones after it from running. */
  readonly keepsGoing?: boolean;
  readonly minimumTests: number | null;
}

/** `cargo test [filter]` with its selection. */
export function cargoTestRun(request: CargoRequest, selection: CargoSelection, choice: CargoTestChoice, locked = false): ValidatorRun {
  const filter = canonicalName(choice.filter);
  const args = [
    'test',
    ...selectionArgs(selection),
    ...(choice.noRun ? ['--no-run'] : []),
    ...(choice.keepsGoing === true ? ['--no-fail-fast'] : []),
    ...lockedArgs(locked),
    ...(filter === null ? [] : [filter]),
  ];
  const scope = selectionScope(selection);
  return {
    ...base(request, 'test', 'test', 'cargo_test/1', args),
    target: { ...selectionTarget(request, selection), filter, no_run: choice.noRun },
    scope: { ...scope, filter, targets: choice.noRun ? [...scope.targets, '--no-run'] : scope.targets },
    minimumTests: choice.minimumTests,
  };
}

function base(
  { tool, cwd, timeoutSecs, hints }: CargoRequest,
  kind: ValidationKind,
  purpose: Purpose,
  parser: ParserId,
  args: readonly string[],
): Omit<ValidatorRun, 'target' | 'scope' | 'minimumTests'> {
  return { tool, adapter: 'rust', kind, executable: 'cargo', args, cwd, purpose, timeoutSecs, parser, ...(hints === undefined ? {} : { hints }) };
}

function lockedArgs(locked: boolean): readonly string[] {
  return locked ? ['--locked'] : [];
}

function selectionArgs(selection: CargoSelection): readonly string[] {
  const features = canonicalNames(selection.features);
  return [
    ...(selection.workspace ? ['--workspace'] : []),
    ...canonicalNames(selection.packages).flatMap((name) => ['--package', name]),
    ...(selection.lib ? ['--lib'] : []),
    ...(selection.allTargets ? ['--all-targets'] : []),
    ...(selection.allFeatures ? ['--all-features'] : []),
    ...(selection.noDefaultFeatures ? ['--no-default-features'] : []),
    ...(features.length === 0 ? [] : ['--features', features.join(',')]),
  ];
}

/** The tuple of spec 06 §2; `packages`, `workspace` and `lib` stand in it only where they are used. */
function selectionTarget({ cwd }: CargoRequest, selection: CargoSelection): JsonObject {
  const packages = canonicalNames(selection.packages);
  return {
    cwd: canonicalFolder(cwd),
    package: packages.length === 1 ? (packages[0] ?? null) : null,
    ...(packages.length > 1 ? { packages } : {}),
    ...(selection.workspace ? { workspace: true } : {}),
    ...(selection.lib ? { lib: true } : {}),
    features: canonicalNames(selection.features),
    all_targets: selection.allTargets,
    all_features: selection.allFeatures,
    no_default_features: selection.noDefaultFeatures,
  };
}

function selectionScope(selection: CargoSelection): Omit<ValidatorRun['scope'], 'filter'> {
  const packages = canonicalNames(selection.packages);
  return {
    package: packages.length === 0 ? null : packages.join(' '),
    features: canonicalNames(selection.features),
    targets: selectionArgs({ ...selection, packages: [], features: [] }),
  };
}
