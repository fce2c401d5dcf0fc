import type { Failure } from '../../../../protocol/tool-result.js';
import type { ProjectProbe, ValidationAdapter, ValidationRequest, ValidatorRun } from '../../adapter.js';
import { notOffered } from '../../refusals.js';
import { gofmtRun, goTestRun, goVetRun } from './go-run.js';
import { createGofmtParser } from './gofmt-parser.js';
import { createGoTestParser } from './go-test-parser.js';
import { createGoVetParser } from './go-vet-parser.js';
import { moduleHint } from './module-hint.js';
import { folderOfPattern, isPackagePattern } from './package-patterns.js';

/** Go by its own tools: `gofmt -l`, `go vet`, `go test -json`. */
export const goAdapter: ValidationAdapter = {
  name: 'go',
  markers: ['go.mod', 'go.work'],
  parsers: {
    'gofmt/1': createGofmtParser,
    'go_vet/1': createGoVetParser,
    'go_test/1': createGoTestParser,
  },
  plan: planGo,
};

async function planGo(request: ValidationRequest, probe: ProjectProbe): Promise<ValidatorRun | { readonly failure: Failure }> {
  const patterns = request.scope === null || request.scope === 'all_packages' ? ['./...'] : request.scope.packages.map(patternOf);
  const wrong = patterns.find((pattern) => !isPackagePattern(pattern));
  if (wrong !== undefined) {
    const message = `go takes packages as ., ./folder, ./... or ./folder/..., and "${wrong}" is none of them.`;
    return { failure: notOffered('validation_scope_unavailable', message, { package: wrong }) };
  }
  const go = {
    tool: 'project_validate',
    cwd: null,
    timeoutSecs: request.timeoutSecs,
    hints: request.action === 'test' ? await moduleHint(null, probe) : {},
  };
  const locked = request.lockedDependencies === true;
  switch (request.action) {
    case 'format_check':
      return gofmtRun(go, patterns.map(folderOfPattern));
    case 'check':
      return goVetRun(go, patterns, locked);
    case 'test':
      return goTestRun(go, patterns, { filter: request.filter, minimumTests: request.minimumTests, locked });
  }
}

/** A plain folder name means that folder. */
function patternOf(name: string): string {
  return name === '.' || name.startsWith('./') ? name : `./${name}`;
}
