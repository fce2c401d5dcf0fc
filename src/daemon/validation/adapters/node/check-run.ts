import type { ValidationKind } from '../../../kernel/validation-evidence.js';
import type { Failure } from '../../../../protocol/tool-result.js';
import type { ParserId, ValidationRequest, ValidatorRun } from '../../adapter.js';
import { notOffered } from '../../refusals.js';
import { inFolder } from '../package-folder.js';
import { localProgram } from './local-program.js';
import type { NodePackage } from './node-package.js';
import { plainCommand } from './plain-command.js';

interface Check {
  readonly kind: Exclude<ValidationKind, 'test'>;
  readonly tool: 'tsc' | 'eslint' | 'prettier';
  readonly parser: ParserId;
  readonly executable: string;
  readonly args: readonly string[];
}

/** `check`: the types where there is a `tsconfig.json` and TypeScript is installed, else ESLint. */
export async function planCheck(request: ValidationRequest, of: NodePackage): Promise<ValidatorRun | { readonly failure: Failure }> {
  const config = await of.probe.text(inFolder(of.folder, 'tsconfig.json'));
  const tsc = config === null ? null : await localProgram(of.probe, of.folder, 'tsc');
  if (config !== null && tsc !== null) {
    const whole = hasOnlyReferences(config) ? ['--build'] : ['--project', 'tsconfig.json'];
    return run(request, of, { kind: 'check', tool: 'tsc', parser: 'tsc/1', executable: tsc, args: [...whole, '--noEmit', '--pretty', 'false'] });
  }
  const eslint = await localProgram(of.probe, of.folder, 'eslint');
  if (eslint !== null) {
    return run(request, of, { kind: 'check', tool: 'eslint', parser: 'eslint/1', executable: eslint, args: ['--no-color', '--format', 'stylish', ...linted(of)] });
  }
  return nothingFor('check', 'TypeScript with a tsconfig.json, or ESLint', ['tsc', 'eslint']);
}

/** `format_check`: Prettier, which names the files that it would write anew. */
export async function planFormatCheck(request: ValidationRequest, of: NodePackage): Promise<ValidatorRun | { readonly failure: Failure }> {
  const prettier = await localProgram(of.probe, of.folder, 'prettier');
  if (prettier === null) return nothingFor('format_check', 'Prettier', ['prettier']);
  return run(request, of, { kind: 'format', tool: 'prettier', parser: 'prettier/1', executable: prettier, args: ['--list-different', '--no-color', '.'] });
}

function run({ timeoutSecs, action }: ValidationRequest, { folder }: NodePackage, check: Check): ValidatorRun {
  const { kind, tool, parser, executable, args } = check;
  return {
    tool: 'project_validate',
    adapter: 'node',
    kind,
    executable,
    args,
    cwd: folder === '.' ? null : folder,
    purpose: kind === 'format' ? 'format' : 'validation',
    timeoutSecs,
    target: { adapter: 'node', action, tool, cwd: folder },
    scope: { package: folder, filter: null, features: [], targets: [tool] },
    parser,
    minimumTests: null,
  };
}

/** A solution file names other configurations and no file of its own: only a build looks at them. */
function hasOnlyReferences(config: string): boolean {
  return /"references"\s*:/.test(config) && /"files"\s*:\s*\[\s*\]/.test(config);
}

/** What the package's own `lint` script lints, where that is one plain command of ESLint; else everything. */
function linted({ manifest }: NodePackage): readonly string[] {
  const script = manifest.lintScript === null ? null : plainCommand(manifest.lintScript);
  if (script === null || script.program !== 'eslint' || script.args.some(({ isPattern }) => isPattern)) return ['.'];
  const args = script.args.map(({ text }) => text).filter((text) => !/^--(?:fix|cache|format|color|no-color)\b|^-f$/.test(text));
  return args.length === 0 ? ['.'] : args;
}

function nothingFor(action: 'check' | 'format_check', wanted: string, candidates: readonly string[]): { readonly failure: Failure } {
  return {
    failure: notOffered('capability_unavailable', `${action} needs ${wanted}, installed in this project's node_modules; nothing is ever fetched for it.`, {
      reason_code: 'tool_not_installed',
      candidates: [...candidates],
    }),
  };
}
