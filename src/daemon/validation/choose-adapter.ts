import type { Failure } from '../../protocol/tool-result.js';
import type { AdapterName, ProjectProbe, ValidationAdapter, ValidationRequest, ValidatorRun } from './adapter.js';
import { inFolder, packageFolder } from './adapters/package-folder.js';
import { notOffered } from './refusals.js';

type Planned = ValidatorRun | { readonly failure: Failure };

/**
 * The run of the one toolchain that is meant: the adapter that is named, else the one
 * whose markers stand in the project, at its root or in the package that is asked about.
 * Where several do, those that can not do what is asked for are no candidates; where
 * several are left, nothing is guessed.
 */
export async function planByAdapter(
  adapters: readonly ValidationAdapter[],
  named: AdapterName | 'auto',
  request: ValidationRequest,
  probe: ProjectProbe,
): Promise<Planned> {
  const given = adapters.find(({ name }) => name === named);
  if (given !== undefined) return given.plan(request, probe);
  const marked = await markedAdapters(adapters, request, probe);
  const [only] = marked;
  if (only === undefined) return { failure: noneMarked(adapters) };
  if (marked.length === 1) return only.plan(request, probe);
  const planned: Planned[] = [];
  for (const adapter of marked) planned.push(await adapter.plan(request, probe));
  const runs = planned.filter((one): one is ValidatorRun => !('failure' in one));
  const [run] = runs;
  if (run === undefined) return planned[0] ?? { failure: noneMarked(adapters) };
  return runs.length === 1 ? run : { failure: ambiguous(runs.map(({ adapter }) => adapter)) };
}

async function markedAdapters(
  adapters: readonly ValidationAdapter[],
  { scope }: ValidationRequest,
  probe: ProjectProbe,
): Promise<readonly ValidationAdapter[]> {
  const selected = scope === null || scope === 'all_packages' ? [] : scope.packages.slice(0, 1).map(packageFolder);
  const folders = ['.', ...selected.flatMap((one) => ('folder' in one && one.folder !== '.' ? [one.folder] : []))];
  for (const folder of folders) {
    const present = await probe.files([...new Set(adapters.flatMap(({ markers }) => markers))].map((marker) => inFolder(folder, marker)));
    const marked = adapters.filter(({ markers }) => markers.some((marker) => present.has(inFolder(folder, marker))));
    if (marked.length > 0) return marked;
  }
  return [];
}

function noneMarked(adapters: readonly ValidationAdapter[]): Failure {
  return notOffered('capability_unavailable', 'Nothing at the root of this project says which toolchain it has; name the adapter.', {
    reason_code: 'no_known_toolchain',
    candidates: adapters.map(({ name }) => name),
  });
}

function ambiguous(candidates: readonly AdapterName[]): Failure {
  return notOffered('validation_scope_unavailable', `This project can be validated with ${candidates.join(' and ')}; name the adapter that is meant.`, {
    reason_code: 'ambiguous_adapter',
    candidates: [...candidates],
  });
}
