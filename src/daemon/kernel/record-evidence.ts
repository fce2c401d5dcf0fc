import type { InvocationId, ProjectId } from '../../protocol/ids.js';
import type { ToolDefinition } from '../../protocol/tool-definition.js';
import { failure, type ToolResult } from '../../protocol/tool-result.js';
import type { Adapter } from './call-context.js';
import { isHardDenial } from './call-outcome.js';
import type { EvidenceFacts } from './evidence-facts.js';
import type { ClosedPair, OpenPair, PermissionDecision, SessionPort, SessionView } from './ports.js';

/** What the evidence of one call needs to know of it. */
export interface EvidenceSubject {
  readonly definition: ToolDefinition;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly invocationId: InvocationId;
  readonly adapter: Adapter;
}

/**
 * Steps 8 and 13: the pairs of one call. A recorder gets its pair as soon as the tool is
 * known and allowed; a business Session gets one of its own when it is admitted. Both
 * share the invocation id, so that one Session that is both counts the call once.
 */
export class CallEvidence {
  private recorder: OpenPair | null = null;
  private business: OpenPair | null = null;

  constructor(
    private readonly sessions: SessionPort,
    private readonly subject: EvidenceSubject,
  ) {}

  openRecorder(session: SessionView | null): void {
    if (session !== null) this.recorder = this.open(session, 'recorder');
  }

  /** For a call that is recorded in its own Session, and for one that its Session denied. */
  openBusiness(session: SessionView | null): void {
    if (session !== null && this.business === null) this.business = this.open(session, 'business');
  }

  /**
   * Closes the business pair, then the recorder's; settles after the commits that hold them.
   *
   * @returns the pair that the answer names: the recorder's, else the business Session's
   * @throws when a commit failed; nothing of it is in the ledger then
   */
  async close(
    result: ToolResult,
    facts: EvidenceFacts,
    resolvedProject: ProjectId | null,
    permission: PermissionDecision | null,
  ): Promise<(ClosedPair & { readonly sessionId: string }) | null> {
    const end = {
      result,
      outcome: facts,
      resolvedProject,
      permission: isHardDenial(result) ? null : permission,
    };
    const pairs = [this.business, this.recorder].filter((pair): pair is OpenPair => pair !== null);
    const closed = await Promise.all(pairs.map((pair) => this.sessions.closePair(pair, end)));
    const named = pairs.at(-1);
    const event = closed.at(-1);
    return named === undefined || event === undefined ? null : { ...event, sessionId: named.sessionId };
  }

  private open(session: SessionView, role: 'recorder' | 'business'): OpenPair {
    const { definition, arguments: args, invocationId, adapter } = this.subject;
    const requested = args['project'];
    return this.sessions.openPair(session.sessionId, {
      facts: definition,
      invocationId,
      role,
      transport: adapter,
      inputs: Object.fromEntries(
        definition.recorded_inputs.filter((name) => Object.hasOwn(args, name)).map((name) => [name, args[name]]),
      ),
      requestProject: typeof requested === 'string' ? requested : null,
    });
  }
}

/** The answer of a call whose evidence could not be stored: what happened, and that nothing proves it. */
export function unrecorded(
  definition: ToolDefinition,
  result: ToolResult,
  facts: EvidenceFacts,
  cause: string,
): ToolResult {
  return failure('storage_unavailable', `the call ran, but its record could not be stored: ${cause}; free space or repair the state folder`, {
    state_changed: definition.effect === 'observe' ? false : (facts.effect?.stateChanged ?? null),
    recovery_kind: definition.effect === 'observe' ? 'user_action' : 'reconcile',
    unrecorded_success: result.success,
    ...(result.output['execution_state'] === undefined ? {} : { execution_state: result.output['execution_state'] }),
    ...(result.output['job_id'] === undefined ? {} : { job_id: result.output['job_id'] }),
  });
}
