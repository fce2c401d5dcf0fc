import type { JsonObject } from '../../protocol/tool-result.js';
import type { Style } from './style.js';
import { factLines, textTable } from './text-table.js';

interface ResourceView {
  readonly name: string;
  readonly binding: string;
  readonly transport: string;
  readonly default_cwd: string | null;
}

interface TestView {
  readonly reachable: boolean | null;
  readonly authenticated: boolean | null;
  readonly multiplexed: boolean | null;
  readonly shell: string | null;
  readonly home: string | null;
  readonly latency_ms: number | null;
  readonly handshake_ms: number | null;
  readonly reason_code: string | null;
}

/** The resources of `manage_ssh_resource`, for people. */
export function renderResources(output: JsonObject, style: Style): string {
  const resources = output['resources'] as unknown as readonly ResourceView[];
  if (resources.length === 0) return 'There are no SSH resources: `wc ssh add NAME --host ALIAS`.';
  return textTable(
    resources,
    [
      { title: 'resource', value: ({ name }) => name },
      { title: 'transport', value: ({ transport }) => transport },
      { title: 'folder', value: ({ default_cwd: cwd }) => cwd ?? '(login folder)' },
    ],
    style,
  );
}

/** One of them. Its host is in the configuration, and is not shown. */
export function renderResource(output: JsonObject, style: Style): string {
  const { name, binding, transport, default_cwd: cwd } = output as unknown as ResourceView;
  return factLines(
    [
      ['resource', name],
      ['transport', transport],
      ['folder', cwd ?? '(login folder)'],
      ['binding', binding],
      ['host', '(in the configuration: runner.ssh.resources)'],
    ],
    style,
  );
}

/** What a test found, one line each; what was not reached has a dash. */
export function renderResourceTest(output: JsonObject, style: Style): string {
  const test = output as unknown as TestView;
  const because = (said: boolean | null): string => (said === false && test.reason_code !== null ? ` (${test.reason_code.replaceAll('_', ' ')})` : '');
  const answer = (said: boolean | null): string => (said === null ? '-' : `${said ? 'yes' : 'no'}${because(said)}`);
  return factLines(
    [
      ['reachable', answer(test.reachable)],
      ['authenticated', answer(test.authenticated)],
      ['multiplexed', answer(test.multiplexed)],
      ['shell', test.shell ?? '-'],
      ['home', test.home ?? '-'],
      ['latency', test.latency_ms === null ? '-' : `${test.latency_ms} ms (handshake ${test.handshake_ms ?? 0} ms)`],
    ],
    style,
  );
}
