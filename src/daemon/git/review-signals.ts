import type { ReviewedPath } from '../../protocol/runner/git-history.js';

/** What a reviewer should look at first; twelve at most, each with how many files it rests on. */
export const REVIEW_SIGNALS = [
  'sensitive_path_changed',
  'submodule_changed',
  'mode_or_link_changed',
  'binary_changed',
  'dependencies_changed',
  'lockfile_changed',
  'ci_changed',
  'build_configuration_changed',
  'schema_or_migration_changed',
  'tests_changed',
  'source_without_tests',
  'large_change',
] as const;
export type ReviewSignal = (typeof REVIEW_SIGNALS)[number];

const LARGE_FILES = 40;
const LARGE_LINES = 1_000;

const TESTS = /(^|\/)(tests?|__tests__|spec|e2e)\/|[._-](test|spec)\.[^/]+$|_test\.[^/]+$|(^|\/)test_[^/]+$|Tests?\.(java|kt|cs|swift)$/i;
const SOURCE = /\.(c|cc|cpp|cs|ex|exs|go|h|hpp|java|js|jsx|kt|mjs|cjs|php|py|rb|rs|scala|sh|swift|ts|tsx|mts|cts|vue|svelte|zig)$/i;
const DEPENDENCIES = /(^|\/)(package\.json|cargo\.toml|go\.mod|pyproject\.toml|requirements[^/]*\.txt|setup\.(py|cfg)|gemfile|composer\.json|pom\.xml|build\.gradle(\.kts)?|pipfile|mix\.exs|pubspec\.yaml)$/i;
const LOCKS = /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|cargo\.lock|go\.sum|poetry\.lock|uv\.lock|pipfile\.lock|gemfile\.lock|composer\.lock|mix\.lock|pubspec\.lock)$/i;
const CI = /(^|\/)(\.github\/(workflows|actions)\/|\.gitlab-ci\.yml$|\.circleci\/|azure-pipelines\.yml$|jenkinsfile$|\.buildkite\/|\.travis\.yml$|\.drone\.yml$)/i;
const BUILD = /(^|\/)(makefile|cmakelists\.txt|dockerfile[^/]*|docker-compose[^/]*\.ya?ml|build\.rs|webpack\.config\.[^/]+|vite\.config\.[^/]+|rollup\.config\.[^/]+|tsconfig[^/]*\.json|babel\.config\.[^/]+|\.gitattributes|\.gitmodules|meson\.build|build\.bazel|workspace)$/i;
const SCHEMAS = /(^|\/)(migrations?|schema)\/|\.(sql|proto|graphql|prisma|avsc)$|schema\.(json|rb|prisma)$/i;

/** Counts the files behind each signal, by names, modes and sizes alone. */
export function reviewSignals(
  files: readonly ReviewedPath[],
  changedLines: number,
): { readonly signal: ReviewSignal; readonly files: number }[] {
  const count = (test: (file: ReviewedPath) => boolean): number => files.filter(test).length;
  const named = (pattern: RegExp): number => count(({ path }) => pattern.test(path));
  const tests = named(TESTS);
  const source = count(({ path }) => SOURCE.test(path) && !TESTS.test(path));
  const isLarge = files.length > LARGE_FILES || changedLines > LARGE_LINES;
  const counts: Record<ReviewSignal, number> = {
    sensitive_path_changed: count((file) => file.protected),
    submodule_changed: count((file) => hasMode(file, '160000')),
    mode_or_link_changed: count((file) => hasMode(file, '120000') || (file.old_mode !== file.new_mode && bothExist(file))),
    binary_changed: count(({ binary }) => binary),
    dependencies_changed: named(DEPENDENCIES),
    lockfile_changed: named(LOCKS),
    ci_changed: named(CI),
    build_configuration_changed: named(BUILD),
    schema_or_migration_changed: named(SCHEMAS),
    tests_changed: tests,
    source_without_tests: tests === 0 ? source : 0,
    large_change: isLarge ? files.length : 0,
  };
  return REVIEW_SIGNALS.filter((signal) => counts[signal] > 0).map((signal) => ({ signal, files: counts[signal] }));
}

function hasMode({ old_mode: before, new_mode: after }: ReviewedPath, mode: string): boolean {
  return before === mode || after === mode;
}

function bothExist({ old_mode: before, new_mode: after }: ReviewedPath): boolean {
  return before !== '000000' && after !== '000000';
}
