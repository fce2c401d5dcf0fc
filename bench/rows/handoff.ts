import { join } from 'node:path';
import { createContinuityDomain, continuitySchema } from '../../src/daemon/continuity/index.js';
import { createExternalObservationsDomain, externalObservationsSchema } from '../../src/daemon/external-observations/index.js';
import type { CallContext, ResolvedProject } from '../../src/daemon/kernel/call-context.js';
import type { EvidenceFacts } from '../../src/daemon/kernel/evidence-facts.js';
import type { SessionView } from '../../src/daemon/kernel/ports.js';
import type { Tool } from '../../src/daemon/kernel/tool.js';
import type { ProjectsDomain } from '../../src/daemon/projects/index.js';
import type { RunnerPort } from '../../src/daemon/runner-link/port.js';
import { createValidationDomain } from '../../src/daemon/validation/index.js';
import type { RootFingerprint } from '../../src/protocol/ids.js';
import { newSession, openLedger, PROJECT, recordCall } from '../recorded-calls.js';
import type { Row } from '../row.js';
import { percentile } from '../statistics.js';
import { timed } from '../take-turns.js';

const EVENTS = 2_000;
const CHANGED_PATHS = 500;
const PATHS_A_CALL = 8;
const READS = 200;

/** What a handoff of a long task costs the daemon; measured inside the process, as a JSON answer, without its looks at git and Jobs. */
export const handoff: Row = {
  name: 'handoff',
  what: `read_session_handoff of a Session with ${EVENTS.toLocaleString('en')} events and ${CHANGED_PATHS} changed paths, without its git look`,
  measure: async ({ folder }) => {
    const { domain, database, commits } = openLedger(join(folder, 'ledger.db'), [continuitySchema, externalObservationsSchema]);
    try {
      const sessionId = await newSession(domain);
      for (let call = 1; call < EVENTS / 2; call += 1) await recordCall(domain, sessionId, outcomeOf(call));
      const tool = handoffTool({ sessions: domain, database, commits });
      const session = domain.snapshot(sessionId)?.session;
      if (session === undefined) throw new Error('the Session is gone');
      const reads: number[] = [];
      for (let round = 0; round < READS; round += 1) reads.push(await timed(() => read(tool, session)));
      return [{ label: 'p50', value: percentile(reads, 0.5), unit: 'ms', budget: 25 }];
    } finally {
      database.close();
    }
  },
};

/** Every call reads a file; the first ones also change files, until there are enough. */
function outcomeOf(call: number): EvidenceFacts {
  const first = (call - 1) * PATHS_A_CALL;
  const changed = Array.from({ length: PATHS_A_CALL }, (_, index) => first + index).filter((path) => path < CHANGED_PATHS);
  return {
    observedPaths: [`src/module-${call % 40}/values.ts`],
    changedPaths: changed.map((path) => `src/module-${path % 40}/file-${path}.ts`),
    effect: { stateChanged: changed.length > 0 },
  };
}

function handoffTool({ sessions, database, commits }: Pick<Parameters<typeof createContinuityDomain>[0], 'sessions' | 'database' | 'commits'>): Tool {
  const onFault = (error: unknown): never => {
    throw error;
  };
  const validation = createValidationDomain({ runner: NO_JOBS, sessions });
  const external = createExternalObservationsDomain({ database, commits, now: () => 0, onFault });
  const domain = createContinuityDomain({
    ...{ sessions, database, commits, runner: NO_JOBS, terminalJobs: validation.terminalJobs, reports: external.reports, onFault },
    // Only work_on_project asks for projects, and it is not called.
    projects: {} as ProjectsDomain,
    decideRegistration: () => null,
  });
  const tool = domain.tools.find(({ definition }) => definition.name === 'read_session_handoff');
  if (tool === undefined) throw new Error('there is no read_session_handoff');
  return tool;
}

async function read(tool: Tool, session: SessionView): Promise<void> {
  // The handler asks the call for its Session, its project and its signal, and for nothing else.
  const call = { session, project: BENCH_PROJECT, signal: new AbortController().signal } as unknown as CallContext;
  const { result } = await tool.run({ session_id: session.sessionId, include_workspace: false, include_validation: true, include_checkpoints: true, diagnostic: false, limit: 20 }, call);
  if (!result.success) throw new Error(result.error);
  JSON.stringify(result);
}

const BENCH_PROJECT: ResolvedProject = {
  id: PROJECT,
  name: 'bench',
  clientId: 'local',
  path: '/',
  rootFingerprint: '0'.repeat(64) as RootFingerprint,
  allowPatch: true,
  revision: 1,
};

/** Jobs are the Runner's to list; this one has none, and is asked for nothing else. */
const NO_JOBS: RunnerPort = {
  call: async (method) => ({ answer: method.result.parse({ jobs: [], matched: 0 }) as never }),
  state: null,
  onInstance: () => undefined,
};
