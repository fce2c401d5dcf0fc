import { z } from 'zod';
import { success } from '../../../protocol/tool-result.js';
import { projectOf, sessionOf } from '../../kernel/call-context.js';
import { OBSERVING_TOOL } from '../../kernel/observing-tool.js';
import { defineTool, projectSelector, sessionSelector, type Tool } from '../../kernel/tool.js';
import { REPORT_COVERAGE, reportedStatus, reportView } from '../external-report.js';
import { storeUnavailable } from '../record-report.js';
import type { ReportsPort } from '../reports-port.js';
import { reportOutput } from './report-output.js';

/** `list_external_observations`: every report that a Session has (spec 06 §12), as the claims that they are. */
export function listExternalObservations(reports: ReportsPort): Tool {
  return defineTool(
    {
      ...OBSERVING_TOOL,
      name: 'list_external_observations',
      title: 'List external reports',
      summary: 'What tools outside of wc are reported to have done in a Session. Claims, never evidence.',
      description: 'Coverage is never complete: no source says in which order things happened, or whether all of them came.',
      category: 'workflow',
      scopes: { kind: 'all', scopes: ['runtime:read'] },
      session: 'target',
      project: 'required',
      session_evidence: 'none',
      recorder_evidence: 'none',
      recorded_inputs: [],
      cli: { positionals: ['session_id'] },
      input: z.strictObject({ project: projectSelector, session_id: sessionSelector }),
      output: z.strictObject({
        project: z.string(),
        session_id: z.string(),
        provenance: z.literal('external_report'),
        coverage: z.strictObject({ complete: z.literal(false), reason: z.string(), ordering: z.string() }),
        observations: z.array(reportOutput),
        total: z.int(),
        unknown_count: z.int(),
      }),
    },
    (_input, call) => {
      const { sessionId } = sessionOf(call);
      const found = reports.ofSession(sessionId);
      if (found === null) return { result: storeUnavailable() };
      return {
        result: success({
          project: projectOf(call).id,
          session_id: sessionId,
          provenance: 'external_report',
          coverage: { ...REPORT_COVERAGE },
          observations: found.map(reportView),
          total: found.length,
          unknown_count: found.filter((report) => reportedStatus(report) === 'unknown').length,
        }),
      };
    },
  );
}
