/**
 * What is loaded at run time: the rules of .dependency-cruiser.cjs that types are exempt
 * from. An `import type` costs nothing and ties nobody, so it is not in this graph.
 */

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Two files that need each other are one file, or miss a third.', {}, { circular: true }),
    forbid(
      'no-schemas-before-the-socket',
      'CLI and shim read catalog.json; loading zod, a schema, the daemon or the Runner would cost every start-up. (The MCP SDK brings its own zod.)',
      { path: '^src/(client|commands|mcp)/' },
      { path: '^src/(daemon|runner)/|^(node_modules/)?zod(/|$)', reachable: true },
    ),
    forbid(
      'the-product-needs-no-dev-dependency',
      'What src/ imports at run time is installed with the package.',
      { path: '^src/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    ),
  ],
  options: {
    doNotFollow: { path: '^node_modules/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
};
