import { taskHistory } from '../../../src/daemon/continuity/evidence/task-history.js';
import { aggregateJobs } from '../../../src/daemon/continuity/evidence/job-aggregate.js';
import type { HandoffFacts } from '../../../src/daemon/continuity/handoff/handoff-facts.js';
import type { ExternalReport } from '../../../src/daemon/external-observations/index.js';
import type { SessionEvent, SessionMessage } from '../../../src/daemon/sessions/index.js';
import { JOB_STATUSES } from '../../../src/protocol/execution-state.js';
import { event, evidence, instruction, PROJECT, SESSION, snapshotOf, validation } from './session-events.js';

/** Numbers that a seed decides (mulberry32). */
class Chance {
  constructor(private state: number) {}
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }
  oneOf<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
  chance(probability: number): boolean {
    return this.next() < probability;
  }
}

/** What texts are made of: each is one code point, some of them half of one, some long as JSON. */
const CHARACTERS = ['a', ' ', '/', '"', '\\', '\n', '\u0001', 'é', '漢', '😀', 'e\u0301', '\u202e', '\u2066', '\ud83d', '\udc00', '\u2028'];

function text(chance: Chance, most: number): string {
  const character = chance.oneOf(CHARACTERS);
  const length = chance.below(most + 1);
  return chance.chance(0.5) ? character.repeat(length) : Array.from({ length: Math.min(length, 60) }, () => chance.oneOf(CHARACTERS)).join('');
}

function paths(chance: Chance, most: number): string[] {
  const longest = chance.chance(0.3) ? 120 : 20;
  return Array.from({ length: chance.below(most + 1) }, () => `src/${chance.below(40)}/${chance.oneOf(['a', '漢', '😀', '"']).repeat(chance.below(longest))}`);
}

function eventOf(chance: Chance, number: number): SessionEvent {
  switch (chance.below(5)) {
    case 0:
      return event(number, { tool_name: 'edit_project_files', write_like: true, changed_paths: paths(chance, 8), effect_evidence: { state_changed: chance.oneOf([true, false, null]) } });
    case 1:
      return event(number, { tool_name: 'read_files', read_like: true, observed_paths: paths(chance, 30), status: chance.oneOf(['succeeded', 'failed']) });
    case 2:
      return event(number, {
        shell_like: true,
        input_summary: { purpose: 'test' },
        status: 'failed',
        exit_code: 1,
        failure_expectation_result: 'unexpected_failure',
        ...(chance.chance(0.5) ? { assertion_name: text(chance, 120) } : {}),
      });
    case 3:
      return instruction(number, text(chance, chance.chance(0.1) ? 4_000 : 700));
    default: {
      const named = chance.below(21);
      const failures = Array.from({ length: named }, (_, index) => ({ kind: 'test' as const, name: `${index} ${text(chance, 200)}`, file: chance.chance(0.5) ? `f/${text(chance, 100)}` : null, line: 9 }));
      const status = chance.oneOf(['passed', 'failed', 'failed', 'evidence_gap', 'expected_result'] as const);
      return validation(number, evidence({ status, failures, failures_total: named + chance.below(3) }), {
        failure_expectation_result: status === 'failed' ? 'unexpected_failure' : 'none',
      });
    }
  }
}

function message(chance: Chance, number: number): SessionMessage {
  return {
    message_id: `wc_msg_${number.toString().padStart(16, '0')}`,
    session_id: SESSION,
    created_at: 1_700_000_000 + number,
    kind: chance.oneOf(['decision', 'progress', 'risk', 'question', 'todo', 'note', 'guidance'] as const),
    status: chance.oneOf(['open', 'resolved'] as const),
    priority: 'normal',
    message: text(chance, 500),
    tags: [],
    reply_to: null,
    resolved_at: null,
    resolution: null,
  };
}

function report(chance: Chance, number: number): ExternalReport {
  return {
    sessionId: SESSION,
    project: PROJECT,
    adapterId: 'a'.repeat(64),
    eventId: number.toString(16).padStart(64, '0'),
    observedTool: 't'.repeat(1 + chance.below(64)),
    exitCode: chance.oneOf([0, 1, null]),
    recordedAt: 1_700_000_000 + number,
  };
}

const many = <Item>(count: number, make: (index: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index));

/** The facts of a random Session: the same for the same seed. */
export function randomHandoff(seed: number): HandoffFacts {
  const chance = new Chance(seed);
  const begun = instruction(0, text(chance, 700));
  const events = [begun, ...many(chance.below(24), (index) => eventOf(chance, index + 1))];
  const snapshot = snapshotOf(
    events,
    { lifecycle: chance.chance(0.1) ? 'closed' : 'active', title: chance.chance(0.1) ? null : text(chance, 700) },
    chance.chance(0.2) ? chance.below(5_000) : 0,
  );
  const git = {
    is_repository: chance.chance(0.9),
    branch: text(chance, 256),
    head: 'a'.repeat(40),
    dirty: chance.chance(0.5),
    conflicted: chance.chance(0.1),
    ahead: chance.below(5),
    behind: null,
    operation: null,
  };
  return {
    snapshot,
    history: chance.chance(0.05) ? null : taskHistory(snapshot),
    board: chance.chance(0.1) ? null : { messages: many(chance.below(14), (index) => message(chance, index)) },
    workspace: chance.chance(0.8) ? { status: 'available', git } : chance.oneOf([{ status: 'not_requested' }, { status: 'unavailable', reasonCode: 'git_failed' }] as const),
    jobs: chance.chance(0.9)
      ? aggregateJobs(many(chance.below(4), (index) => ({ job_id: `job_${index}`, status: chance.oneOf(JOB_STATUSES), purpose: 'test' as const })))
      : { status: 'unavailable', reasonCode: 'runner_unavailable' },
    validation: chance.oneOf([{ status: 'read' }, { status: 'read' }, { status: 'not_requested' }, { status: 'unavailable', reasonCode: 'jobs_unavailable' }] as const),
    reports: chance.chance(0.8) ? { reports: many(chance.below(9), (index) => report(chance, index)) } : { unavailable: 'store_unavailable' },
    raced: { session: chance.chance(0.1), reports: chance.chance(0.1) },
  };
}
