import type { Failure } from '../../../../protocol/tool-result.js';
import type { ProjectProbe, ValidationAdapter, ValidationRequest, ValidatorRun } from '../../adapter.js';
import { notOffered } from '../../refusals.js';
import { parserOfFindings } from '../finding-lines.js';
import { packageFolder } from '../package-folder.js';
import { parseTestReport } from '../test-report.js';
import { eslintFinding, prettierFinding, tscFinding } from './check-output.js';
import { planCheck, planFormatCheck } from './check-run.js';
import { readPackage } from './node-package.js';
import { planTest } from './test-run.js';

/**
 * Projects with a `package.json` (spec 00, decision 20). Only what a package has
 * installed is run; nothing is fetched, and package scripts are read, not run.
 */
export const nodeAdapter: ValidationAdapter = {
  name: 'node',
  markers: ['package.json'],
  parsers: {
    'node_test/1': parseTestReport,
    'vitest/1': parseTestReport,
    'jest/1': parseTestReport,
    'tsc/1': parserOfFindings(() => tscFinding, 'compile_error'),
    'eslint/1': parserOfFindings(eslintFinding, 'compile_error'),
    'prettier/1': parserOfFindings(() => prettierFinding, 'format_diff'),
  },
  plan,
};

async function plan(request: ValidationRequest, probe: ProjectProbe): Promise<ValidatorRun | { readonly failure: Failure }> {
  const place = placeOf(request);
  if ('failure' in place) return place;
  const read = await readPackage(place.folder, probe);
  if ('failure' in read) return read;
  switch (request.action) {
    case 'test':
      return planTest(request, read);
    case 'check':
      return planCheck(request, read);
    case 'format_check':
      return planFormatCheck(request, read);
  }
}

function placeOf({ scope }: ValidationRequest): { readonly folder: string } | { readonly failure: Failure } {
  const packages = scope === null || scope === 'all_packages' ? [] : scope.packages;
  const [only = '.'] = packages;
  if (packages.length <= 1) return packageFolder(only);
  return {
    failure: notOffered('validation_scope_unavailable', 'A Node run is of one package; ask for one at a time, by its folder.', {
      reason_code: 'one_package_a_run',
    }),
  };
}
