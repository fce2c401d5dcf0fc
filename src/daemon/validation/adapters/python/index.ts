import { fileURLToPath } from 'node:url';
import type { Failure } from '../../../../protocol/tool-result.js';
import type { ProjectProbe, ValidationAdapter, ValidationRequest, ValidatorRun } from '../../adapter.js';
import { canonicalName, canonicalNames } from '../../canonical-target.js';
import { notOffered } from '../../refusals.js';
import { withReportChannel } from '../../report-channel.js';
import { parserOfFindings } from '../finding-lines.js';
import { foldersUpwards, fromFolder, inFolder, packageFolder } from '../package-folder.js';
import { parseTestReport } from '../test-report.js';
import { ruffCheckFinding, ruffFormatFinding } from './ruff-output.js';

/** What says that a folder is a Python project of its own. */
const MARKERS = ['pyproject.toml', 'setup.py', 'setup.cfg', 'pytest.ini', 'tox.ini', 'requirements.txt', 'conftest.py'];
const VIRTUAL_ENVIRONMENTS = ['.venv', 'venv'];
/** Runs the pytest of the interpreter that runs it; it lies beside the built program and beside its sources alike. */
const REPORTING_PYTEST = fileURLToPath(new URL('../../../../../reporters/pytest_report.py', import.meta.url));

/**
 * Python projects (spec 00, decision 20): pytest of the project's virtual environment,
 * else of `python3` on the PATH, and Ruff where the project has it.
 */
export const pythonAdapter: ValidationAdapter = {
  name: 'python',
  markers: MARKERS,
  parsers: {
    'pytest/1': parseTestReport,
    'ruff_check/1': parserOfFindings(() => ruffCheckFinding, 'compile_error'),
    'ruff_format/1': parserOfFindings(() => ruffFormatFinding, 'format_diff'),
  },
  plan,
};

/** Where a run starts, and what it is about, as seen from there; nothing is everything. */
interface Place {
  readonly folder: string;
  readonly paths: readonly string[];
}

async function plan(request: ValidationRequest, probe: ProjectProbe): Promise<ValidatorRun | { readonly failure: Failure }> {
  const place = await placeOf(request, probe);
  if ('failure' in place) return place;
  return request.action === 'test' ? planPytest(request, place, probe) : planRuff(request, place, probe);
}

async function planPytest(request: ValidationRequest, place: Place, probe: ProjectProbe): Promise<ValidatorRun> {
  const filter = canonicalName(request.filter);
  const python = await inVirtualEnvironment(probe, place.folder, 'python');
  const args = [REPORTING_PYTEST, ...(filter === null ? [] : ['-k', filter]), ...place.paths];
  return {
    ...runAt(request, place, 'pytest', filter),
    kind: 'test',
    ...withReportChannel({ executable: python ?? 'python3', args }),
    purpose: 'test',
    parser: 'pytest/1',
    minimumTests: request.minimumTests,
  };
}

async function planRuff(request: ValidationRequest, place: Place, probe: ProjectProbe): Promise<ValidatorRun | { readonly failure: Failure }> {
  const installed = await inVirtualEnvironment(probe, place.folder, 'ruff');
  if (installed === null && !(await isConfigured(probe, place.folder))) {
    return {
      failure: notOffered('capability_unavailable', `${request.action} needs Ruff: this project neither has it in its virtual environment nor configures it.`, {
        reason_code: 'tool_not_installed',
        candidates: ['ruff'],
      }),
    };
  }
  const isFormat = request.action === 'format_check';
  const command = isFormat ? ['format', '--check'] : ['check', '--no-fix', '--output-format=concise'];
  return {
    ...runAt(request, place, 'ruff', null),
    kind: isFormat ? 'format' : 'check',
    executable: installed ?? 'ruff',
    args: [...command, ...(place.paths.length === 0 ? ['.'] : place.paths)],
    purpose: isFormat ? 'format' : 'validation',
    parser: isFormat ? 'ruff_format/1' : 'ruff_check/1',
    minimumTests: null,
  };
}

type RunPlace = Pick<ValidatorRun, 'tool' | 'adapter' | 'cwd' | 'timeoutSecs' | 'target' | 'scope'>;

function runAt({ action, timeoutSecs }: ValidationRequest, { folder, paths }: Place, tool: string, filter: string | null): RunPlace {
  return {
    tool: 'project_validate',
    adapter: 'python',
    cwd: folder === '.' ? null : folder,
    timeoutSecs,
    target: { adapter: 'python', action, tool, cwd: folder, packages: paths, filter },
    scope: { package: folder, filter, features: [], targets: [tool, ...paths] },
  };
}

/** One package that is a project of its own is the place of the run; others are paths of a run at the root. */
async function placeOf({ scope }: ValidationRequest, probe: ProjectProbe): Promise<Place | { readonly failure: Failure }> {
  if (scope === null || scope === 'all_packages') return { folder: '.', paths: [] };
  const folders: string[] = [];
  for (const selector of scope.packages) {
    const read = packageFolder(selector);
    if ('failure' in read) return read;
    folders.push(read.folder);
  }
  const [only] = folders;
  if (only === undefined || only === '.') return { folder: '.', paths: [] };
  const own = folders.length > 1 ? [] : [...(await probe.files(MARKERS.slice(0, -2).map((marker) => inFolder(only, marker))))];
  return own.length > 0 ? { folder: only, paths: [] } : { folder: '.', paths: canonicalNames(folders) };
}

/** A program of the nearest virtual environment up to the project's root, as a path from the folder; null when there is none. */
async function inVirtualEnvironment(probe: ProjectProbe, folder: string, program: 'python' | 'ruff'): Promise<string | null> {
  const environments = foldersUpwards(folder).flatMap((one) => VIRTUAL_ENVIRONMENTS.map((name) => inFolder(one, name)));
  // An interpreter is most often a link that leads out of the project; the environment's own file says enough.
  const tellTale = (environment: string): string => `${environment}/${program === 'python' ? 'pyvenv.cfg' : 'bin/ruff'}`;
  const present = await probe.files(environments.map(tellTale));
  const nearest = environments.find((environment) => present.has(tellTale(environment)));
  return nearest === undefined ? null : fromFolder(folder, `${nearest}/bin/${program}`);
}

/** Whether Ruff's settings stand at the folder or above it. */
async function isConfigured(probe: ProjectProbe, folder: string): Promise<boolean> {
  const folders = foldersUpwards(folder);
  const settings = await probe.files(folders.flatMap((one) => ['ruff.toml', '.ruff.toml'].map((name) => inFolder(one, name))));
  if (settings.size > 0) return true;
  for (const one of folders) {
    const project = await probe.text(inFolder(one, 'pyproject.toml'));
    if (project !== null && /^\s*\[tool\.ruff[\].]/m.test(project)) return true;
  }
  return false;
}
