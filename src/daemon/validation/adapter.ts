import type { Purpose } from '../../protocol/execution-state.js';
import type { OutputStream } from '../../protocol/runner/jobs.js';
import type { Failure, JsonObject } from '../../protocol/tool-result.js';
import type { ValidationKind } from '../kernel/validation-evidence.js';
import type { ParsedOutput } from './parsed-output.js';

/*
 * The seam between the core of validation and what knows one toolchain.
 *
 * An adapter is asked for a plan: it looks at the project through a probe, and answers
 * with one `ValidatorRun`: argv, folder, identity, and the id of the parser of what the
 * run prints. The core starts it, once, over the execution domain (bounds, hand-off to a
 * Job, cancel), reads the whole spooled output through the Runner, feeds it to the parser
 * line by line, first all of stdout, then all of stderr, and makes of the parsed output
 * counts, the count assertion, the ToolResult and the evidence. A run that became a Job
 * keeps `parser` in its metadata and is read the same way when its end is looked at,
 * maybe by another daemon; so a parser holds no state of the call, and its id carries a
 * version that changes when its meaning of the same output does.
 *
 * A reporter whose report shall not mix with what the tests print writes to descriptor 3
 * of a program that `withReportChannel` wraps: the report is then the run's stdout, and
 * everything else its stderr (report-channel.ts).
 */

export const ADAPTER_NAMES = ['rust', 'go', 'python', 'node'] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

/** One run of a validator as its tool or adapter wants it, every default filled in. */
export interface ValidatorRun {
  /** The tool that asks: `cargo_test`, `project_validate`, … */
  readonly tool: string;
  readonly adapter: AdapterName;
  readonly kind: ValidationKind;
  /** Literal argv; nothing of it comes from a caller unchecked. */
  readonly executable: string;
  readonly args: readonly string[];
  /** Relative to the project's root, null for the root. A Session's `default_cwd` is never inherited. */
  readonly cwd: string | null;
  readonly purpose: Purpose;
  readonly timeoutSecs: number;
  /**
   * The tuple of spec 06 §2 that makes two runs the same check, in canonical form
   * (`canonicalFolder`, `canonicalNames`, …). Counts, time-out and expectation stay out.
   */
  readonly target: JsonObject;
  /** What two runs must share for a comparison (spec 06 §2); it is hashed and never shown. */
  readonly scope: ValidationScope;
  readonly parser: ParserId;
  /** Short facts of the project that the parser needs (a module's path); kept in a Job's metadata. */
  readonly hints?: ParserHints;
  /** How many tests must have run (`require_tests`, `min_tests`), or null. */
  readonly minimumTests: number | null;
}

/** Null where the toolchain has no such thing or the caller left it out. */
export interface ValidationScope {
  readonly package: string | null;
  readonly filter: string | null;
  readonly features: readonly string[];
  /** Targets, packages or flags that select what is run. */
  readonly targets: readonly string[];
}

export type ParserHints = Readonly<Record<string, string>>;

/** A parser and the version of its meaning: `cargo_test/1`. It is stored in Jobs and evidence. */
export type ParserId = `${string}/${number}`;

/** Reads one run's output. Pure: the same lines give the same facts. */
export interface OutputParser {
  /** The streams that it reads, default both; what is lost of another one takes no proof away. */
  readonly streams?: readonly OutputStream[];
  /**
   * The next line, without its line ending. Lines are given cut after 64 KiB; `stdout`
   * comes whole before the first line of `stderr`.
   */
  line(stream: OutputStream, text: string): void;
  /** Called once, after the last line. */
  finish(end: OutputEnd): ParsedOutput;
}

/** How the run ended, and whether its output was there to the last byte. */
export interface OutputEnd {
  /** -1 for a death by signal, null when the end was not observed. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Whether a part of the output was lost (spool bound, expired spool): counts then prove nothing. */
  readonly truncated: boolean;
}

export interface ParserContext {
  /** The project's root, absolute, for making paths relative. */
  readonly root: string;
  /** The folder of the run, relative to the root, `.` for the root. */
  readonly cwd: string;
  readonly hints: ParserHints;
}

export type CreateParser = (context: ParserContext) => OutputParser;

/** What `project_validate` asks an adapter for. */
export interface ValidationRequest {
  readonly action: 'format_check' | 'check' | 'test';
  /** Package or path selectors as the caller gave them, or the whole project. */
  readonly scope: { readonly packages: readonly string[] } | 'all_packages' | null;
  readonly filter: string | null;
  readonly minimumTests: number | null;
  /** `dependency_policy: {mode: "locked"}`: the toolchain must take the lock file as it is, or fail. */
  readonly lockedDependencies?: boolean;
  readonly timeoutSecs: number;
}

/** The project's files as an adapter may see them; all reads go through the Runner. */
export interface ProjectProbe {
  /** Which of these project-relative paths are files, links inside the project followed. */
  files(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** A file's text; null when it is absent, no UTF-8 text, or larger than 192 KiB. */
  text(path: string): Promise<string | null>;
}

/** A toolchain that `project_validate` knows. */
export interface ValidationAdapter {
  readonly name: AdapterName;
  /** Files at the project's root that say that the project is of this kind; any one is enough. */
  readonly markers: readonly string[];
  /** By parser id, every parser that runs of this adapter name. */
  readonly parsers: Readonly<Record<ParserId, CreateParser>>;
  /**
   * The run that answers the request. Refusals: `validation_scope_unavailable` when the
   * toolchain cannot be asked for that scope, `capability_unavailable` when the project
   * has no such tool; `notOffered` in refusals.ts words both.
   */
  plan(request: ValidationRequest, probe: ProjectProbe): Promise<ValidatorRun | { readonly failure: Failure }>;
}
