import { canonicalNames } from '../../canonical-target.js';
import type { ValidationAdapter, ValidationRequest, ValidatorRun } from '../../adapter.js';
import { createCargoCheckParser } from './cargo-check-parser.js';
import { cargoCheckRun, cargoFmtRun, cargoTestRun, type CargoSelection } from './cargo-run.js';
import { createCargoTestParser } from './cargo-test-parser.js';
import { createRustfmtParser } from './rustfmt-parser.js';

/** Rust by cargo: `cargo fmt -- --check`, `cargo check --all-targets`, `cargo test --no-fail-fast`. */
export const rustAdapter: ValidationAdapter = {
  name: 'rust',
  markers: ['Cargo.toml'],
  parsers: {
    'rustfmt/1': createRustfmtParser,
    'cargo_check/1': createCargoCheckParser,
    'cargo_test/1': createCargoTestParser,
  },
  plan(request) {
    return Promise.resolve(runOf(request));
  },
};

function runOf(request: ValidationRequest): ValidatorRun {
  const cargo = { tool: 'project_validate', cwd: null, timeoutSecs: request.timeoutSecs };
  const locked = request.lockedDependencies === true;
  switch (request.action) {
    case 'format_check':
      return cargoFmtRun(cargo, true, selectionOf(request, false));
    case 'check':
      return cargoCheckRun(cargo, selectionOf(request, true), locked);
    case 'test': {
      const choice = { filter: request.filter, noRun: false, keepsGoing: true, minimumTests: request.minimumTests };
      return cargoTestRun(cargo, selectionOf(request, false), choice, locked);
    }
  }
}

function selectionOf({ scope }: ValidationRequest, allTargets: boolean): CargoSelection {
  return {
    packages: scope === null || scope === 'all_packages' ? [] : canonicalNames(scope.packages),
    workspace: scope === 'all_packages',
    features: [],
    allTargets,
    allFeatures: false,
    noDefaultFeatures: false,
    lib: false,
  };
}
