import type { CallRecord } from '../kernel/ports.js';

/** A relation of an event to a Workflow Session: correlation for an operator, never authority. */
export interface WorkflowLink {
  readonly workflow_session_id: string;
  readonly workflow_session_relation: 'recording' | 'work_on_project';
  readonly project: string | null;
  readonly linked_at_ms: number;
}

/**
 * The relations of a call (spec 05 §10): only where a window is known, and only facts that
 * were authorized by then. A recorder counts even when its tool failed; work counts when a
 * Session was made or resumed.
 */
export function workflowLinks(call: CallRecord): readonly WorkflowLink[] {
  if (call.window === null) return [];
  const linked_at_ms = call.endedAtMs;
  const links: WorkflowLink[] = [];
  if (call.recorder !== null) {
    links.push({
      workflow_session_id: call.recorder,
      workflow_session_relation: 'recording',
      project: call.project,
      linked_at_ms,
    });
  }
  const worked = call.outcomeFacts.workedOnSession;
  if (worked !== undefined && call.result.success) {
    links.push({
      workflow_session_id: worked.sessionId,
      workflow_session_relation: 'work_on_project',
      project: worked.project,
      linked_at_ms,
    });
  }
  return links;
}
