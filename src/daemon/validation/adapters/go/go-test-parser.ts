import { posix } from 'node:path';
import type { EvidenceReasonCode } from '../../../kernel/validation-evidence.js';
import type { CreateParser, OutputEnd, OutputParser, ParserContext } from '../../adapter.js';
import { Findings } from '../../findings.js';
import type { FailedTest, ParsedOutput } from '../../parsed-output.js';
import { GoDiagnostics } from './go-diagnostics.js';
import { readGoEvent, type GoEvent } from './go-event.js';
import { hintedModules } from './module-hint.js';
import { PackageTests } from './package-tests.js';

/** What go before 1.24 prints between the events for a package that it could not build. */
const BUILD_FAILED = /^FAIL\t(\S+)(?: \[(?:build|setup) failed\])?$/;

/**
 * Reads the event stream of `go test -json`. Every test's output stands in events of its
 * own, so that nothing a test prints passes for an event. Compiler errors stand on stderr
 * in older versions, in `build-output` events in newer ones.
 */
class GoTestParser implements OutputParser {
  private readonly findings: Findings;
  private readonly diagnostics: GoDiagnostics;
  /** Folders of the known modules, relative to the project's root. */
  private readonly modules: ReadonlyMap<string, string>;
  private readonly packages = new Map<string, PackageTests>();
  private readonly counts = { passed: 0, failed: 0, ignored: 0 };
  private finishedPackages = 0;
  private buildFailed = false;
  private allKnown = true;

  constructor(private readonly context: ParserContext) {
    this.findings = new Findings(context);
    this.modules = hintedModules(context.hints);
    this.diagnostics = new GoDiagnostics(this.findings);
  }

  line(stream: 'stdout' | 'stderr', text: string): void {
    if (stream === 'stderr') {
      this.diagnostics.line(text);
      return;
    }
    const event = readGoEvent(text);
    if (event !== null) this.event(event);
    else if (BUILD_FAILED.test(text)) this.buildFailed = true;
    else this.diagnostics.line(text);
  }

  finish({ truncated, exitCode, timedOut }: OutputEnd): ParsedOutput {
    const cutOff = this.packages.size > 0;
    for (const tests of this.packages.values()) {
      tests.finish(false);
      this.add(tests);
    }
    this.packages.clear();
    const reason = this.reason(truncated, cutOff || timedOut);
    const { passed, failed, ignored } = this.counts;
    const compileError = this.buildFailed || (this.finishedPackages === 0 && this.diagnostics.found > 0);
    return {
      counts: reason === 'complete_summary' ? { passed, failed, ignored, total: passed + failed + ignored } : null,
      reason,
      evidenceKind:
        exitCode === 0 ? null : this.findings.failedTests.total > 0 ? 'test_failure' : compileError ? 'compile_error' : null,
      diagnostics: this.findings.diagnostics,
      failedTests: this.findings.failedTests,
    };
  }

  private event(event: GoEvent): void {
    if (event.action === 'build-output') this.diagnostics.line(event.output);
    else if (event.action === 'build-fail') this.buildFailed = true;
    else if (event.package !== '' && event.test === null) this.packageEvent(event);
    else if (event.test !== null) this.testEvent(event, event.test);
  }

  private packageEvent({ action, package: name }: GoEvent): void {
    if (action !== 'pass' && action !== 'fail' && action !== 'skip') {
      if (action === 'start') this.tests(name);
      return;
    }
    const tests = this.packages.get(name);
    this.packages.delete(name);
    this.finishedPackages += 1;
    if (tests === undefined) return;
    if (!tests.finish(action === 'fail')) this.allKnown = false;
    this.add(tests);
  }

  private testEvent({ action, package: name, output }: GoEvent, test: string): void {
    const tests = this.tests(name);
    if (action === 'run') tests.start(test);
    else if (action === 'output') tests.output(test, output);
    else if (action === 'pass' || action === 'fail' || action === 'skip') tests.end(test, action);
  }

  private tests(name: string): PackageTests {
    const known = this.packages.get(name);
    if (known !== undefined) return known;
    const tests = new PackageTests((failed) => this.tellFailure(name, failed));
    this.packages.set(name, tests);
    return tests;
  }

  private add({ counts }: PackageTests): void {
    this.counts.passed += counts.passed;
    this.counts.failed += counts.failed;
    this.counts.ignored += counts.ignored;
  }

  /** Tests log the bare name of their file; its folder is the package's, relative to the module. */
  private tellFailure(name: string, failed: FailedTest): void {
    const folder = this.folderOf(name);
    const file = failed.file === null || failed.file.startsWith('/') ? failed.file : folder === null ? null : posix.join(folder, failed.file);
    this.findings.failedTest({
      ...failed,
      name: `${name}.${failed.name}`,
      file: file === null || file.startsWith('/') ? file : posix.join(this.context.root, file),
    });
  }

  /** A package's folder, relative to the project's root; null where the module is not known. */
  private folderOf(name: string): string | null {
    // The innermost module that the package's path begins with.
    for (let module = name; module !== ''; module = module.slice(0, Math.max(0, module.lastIndexOf('/')))) {
      const folder = this.modules.get(module);
      if (folder !== undefined) return posix.join(folder, name.slice(module.length + 1));
    }
    return null;
  }

  private reason(truncated: boolean, cutOff: boolean): EvidenceReasonCode {
    if (truncated) return 'output_truncated';
    if (cutOff) return 'incomplete_stream';
    if (this.finishedPackages === 0) return 'no_complete_summary';
    return this.allKnown && !this.buildFailed ? 'complete_summary' : 'partial_harness_summary';
  }
}

export const createGoTestParser: CreateParser = (context) => new GoTestParser(context);
