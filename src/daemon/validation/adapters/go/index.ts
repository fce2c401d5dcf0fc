import type { Failure } from '../../../../protocol/tool-result.js';
import type { ProjectProbe, ValidationAdapter, ValidationRequest, ValidatorRun } from '../../adapter.js';
import { notOffered } from '../../refusals.js';
import { gofmtRun, goTestRun, goVetRun } from './go-run.js';
import { createGofmtParser } from './gofmt-parser.js';
import { createGoTestParser } from './go-test-parser.js';
import { createGoVetParser } from './go-vet-parser.js';
import { moduleHint, modulesHint } from './module-hint.js';
import { folderOfPattern, isPackagePattern } from './package-patterns.js';
import { workspaceModules } from './workspace-modules.js';

const MAX_MODULES = 256;

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
  const modules = await workspaceModules(probe);
  const named = request.scope === null || request.scope === 'all_packages' ? null : request.scope.packages.map(patternOf);
  const wrong = named?.find((pattern) => !isPackagePattern(pattern));
  if (wrong !== undefined) {
    const message = `go takes packages as ., ./folder, ./... or ./folder/..., and "${wrong}" is none of them.`;
    return { failure: notOffered('validation_scope_unavailable', message, { package: wrong }) };
  }
  const go = {
    tool: 'project_validate',
    cwd: null,
    timeoutSecs: request.timeoutSecs,
    hints: request.action !== 'test' ? {} : modules === null ? await moduleHint(null, probe) : await modulesHint(modules, probe),
  };
  const patterns = named ?? wholeProject(modules);
  if (patterns.length > MAX_MODULES) {
    const message = `go.work uses ${patterns.length} modules, and one run takes at most ${MAX_MODULES}; name the packages that are meant.`;
    return { failure: notOffered('validation_scope_unavailable', message, { reason_code: 'too_many_modules' }) };
  }
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

/** Everything below the root; of a workspace everything below each of its modules, since './...' ends at a module's edge. */
function wholeProject(modules: readonly string[] | null): readonly string[] {
  if (modules === null || modules.length === 0) return ['./...'];
  return modules.map((folder) => (folder === '.' ? './...' : `./${folder}/...`));
}

/** A plain folder name means that folder. */
function patternOf(name: string): string {
  return name === '.' || name.startsWith('./') ? name : `./${name}`;
}
