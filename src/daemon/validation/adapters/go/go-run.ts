import type { ParserHints, ValidatorRun } from '../../adapter.js';
import { canonicalFolder, canonicalNames } from '../../canonical-target.js';

export interface GoRequest {
  readonly tool: string;
  readonly cwd: string | null;
  readonly timeoutSecs: number;
  readonly hints: ParserHints;
}

/** `go test -json <packages>`; the tuple of spec 06 §2 stands for it. */
export function goTestRun(
  { tool, cwd, timeoutSecs, hints }: GoRequest,
  packages: readonly string[],
  choice: { readonly filter: string | null; readonly minimumTests: number | null; readonly locked: boolean },
): ValidatorRun {
  const patterns = canonicalNames(packages);
  const { filter, minimumTests, locked } = choice;
  return {
    tool,
    adapter: 'go',
    kind: 'test',
    executable: 'go',
    args: ['test', '-json', ...(locked ? ['-mod=readonly'] : []), ...(filter === null ? [] : ['-run', filter]), ...patterns],
    cwd,
    purpose: 'test',
    timeoutSecs,
    target: { cwd: canonicalFolder(cwd), packages: patterns, ...(filter === null ? {} : { filter }) },
    scope: { package: null, filter, features: [], targets: patterns },
    parser: 'go_test/1',
    hints,
    minimumTests,
  };
}

/** `go vet <packages>`: compiles everything, tests included, and looks for what is surely wrong. */
export function goVetRun({ tool, cwd, timeoutSecs, hints }: GoRequest, packages: readonly string[], locked: boolean): ValidatorRun {
  const patterns = canonicalNames(packages);
  return {
    tool,
    adapter: 'go',
    kind: 'check',
    executable: 'go',
    args: ['vet', ...(locked ? ['-mod=readonly'] : []), ...patterns],
    cwd,
    purpose: 'validation',
    timeoutSecs,
    target: { cwd: canonicalFolder(cwd), packages: patterns },
    scope: { package: null, filter: null, features: [], targets: patterns },
    parser: 'go_vet/1',
    hints,
    minimumTests: null,
  };
}

/** `gofmt -l <folders>`: names the files that are formatted otherwise. */
export function gofmtRun({ tool, cwd, timeoutSecs, hints }: GoRequest, folders: readonly string[]): ValidatorRun {
  const paths = canonicalNames(folders);
  return {
    tool,
    adapter: 'go',
    kind: 'format',
    executable: 'gofmt',
    args: ['-l', ...paths],
    cwd,
    purpose: 'format',
    timeoutSecs,
    target: { cwd: canonicalFolder(cwd), packages: paths },
    scope: { package: null, filter: null, features: [], targets: paths },
    parser: 'gofmt/1',
    hints,
    minimumTests: null,
  };
}
