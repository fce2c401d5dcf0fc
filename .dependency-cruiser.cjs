/**
 * Who may know whom: the import rules of docs/architecture.md, over every import, types
 * included. What is loaded at run time has rules of its own in .dependency-cruiser.runtime.cjs.
 * `npm run deps` checks both.
 *
 *   commands, mcp -> client -> protocol
 *   daemon -> protocol
 *   runner -> protocol
 */

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** Everything under src/ but the folders named. */
const sourceOutside = (...folders) => `^src/(?!(${folders.join('|')})/)`;

/** Folders of src/daemon that are no domain: what every domain may use, and the house around them. */
const HOUSE = 'kernel|storage|redaction';

module.exports = {
  forbidden: [
    forbid(
      'protocol-stands-alone',
      'The contract both sides share imports nothing of ours.',
      { path: '^src/protocol/' },
      { path: sourceOutside('protocol') },
    ),
    forbid(
      'protocol-does-no-io',
      'The contract is types, schemas and pure functions.',
      { path: '^src/protocol/' },
      { dependencyTypes: ['core'], pathNot: '^(node:)?(path|crypto)$' },
    ),
    forbid(
      'client-knows-the-protocol-only',
      'The client reaches the daemon over its socket, never through its code.',
      { path: '^src/client/' },
      { path: sourceOutside('client', 'protocol') },
    ),
    forbid(
      'commands-go-through-the-client',
      'What a person types is a thin layer over the client; `wc mcp` and `wc daemon run` load theirs by name.',
      { path: '^src/commands/' },
      { path: sourceOutside('commands', 'client', 'protocol', 'mcp') },
    ),
    forbid(
      'commands-enter-mcp-by-its-door',
      'The shim has one door for who starts it.',
      { path: '^src/commands/' },
      { path: '^src/mcp/', pathNot: '^src/mcp/serve-mcp\\.ts$' },
    ),
    forbid(
      'mcp-goes-through-the-client',
      'The stdio server forwards to the daemon through the client.',
      { path: '^src/mcp/' },
      { path: sourceOutside('mcp', 'client', 'protocol') },
    ),
    forbid(
      'daemon-knows-the-protocol-only',
      'The daemon shares the protocol with the others, and mounts the MCP server at its endpoint.',
      { path: '^src/daemon/', pathNot: '^src/daemon/mcp-endpoint/' },
      { path: sourceOutside('daemon', 'protocol') },
    ),
    forbid(
      'mcp-endpoint-enters-mcp-by-its-door',
      'POST /mcp serves the same server as the shim, through its door.',
      { path: '^src/daemon/mcp-endpoint/' },
      { path: sourceOutside('daemon', 'protocol'), pathNot: '^src/mcp/index\\.ts$' },
    ),
    forbid(
      'runner-knows-the-protocol-only',
      'Daemon and Runner share only the protocol.',
      { path: '^src/runner/' },
      { path: sourceOutside('runner', 'protocol') },
    ),
    forbid(
      'a-domain-has-one-door',
      "A domain uses another domain's index.ts, nothing deeper.",
      { path: '^src/daemon/([^/]+)/' },
      { path: '^src/daemon/[^/]+/.+', pathNot: [`^src/daemon/(${HOUSE})/`, '^src/daemon/$1/', '^src/daemon/[^/]+/index\\.ts$', '^src/daemon/runner-link/port\\.ts$'] },
    ),
    forbid(
      'the-composition-root-uses-doors',
      'Files directly in src/daemon put domains together through their doors.',
      { path: '^src/daemon/[^/]+\\.ts$' },
      { path: '^src/daemon/[^/]+/.+', pathNot: [`^src/daemon/(${HOUSE})/`, '^src/daemon/[^/]+/index\\.ts$', '^src/daemon/runner-link/port\\.ts$'] },
    ),
    forbid(
      'the-kernel-imports-no-domain',
      'Domains are handed to the kernel as ports.',
      { path: '^src/daemon/kernel/' },
      { path: '^src/daemon/', pathNot: ['^src/daemon/(kernel|storage)/', '^src/daemon/redaction/index\\.ts$'] },
    ),
    forbid(
      'sessions-never-meet-audit',
      'Workflow Sessions and the Action Audit share no id, store, lifecycle or guard.',
      { path: '^src/daemon/sessions/' },
      { path: '^src/daemon/audit/', reachable: true },
    ),
    forbid(
      'audit-never-meets-sessions',
      'Workflow Sessions and the Action Audit share no id, store, lifecycle or guard.',
      { path: '^src/daemon/audit/' },
      { path: '^src/daemon/sessions/', reachable: true },
    ),
    forbid('imports-resolve', 'Every import leads somewhere.', {}, { couldNotResolve: true }),
    forbid(
      'the-product-knows-no-test',
      'Nothing in src/ needs tests, benchmarks or scripts.',
      { path: '^src/' },
      { path: '^(test|bench|scripts|fixtures)/' },
    ),
    forbid(
      'names-say-the-subject',
      'A file is named after its one concept.',
      {},
      { path: '/(util|utils|helper|helpers|common|misc|manager|managers|shared)[./]', pathNot: '^node_modules/' },
    ),
  ],
  options: {
    doNotFollow: { path: '^node_modules/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
