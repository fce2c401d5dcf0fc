import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * The language rules of the repository. Import directions are held by
 * .dependency-cruiser.cjs, unused code by knip.
 */

/** Files over 300 lines, each with the reason that it is one file: `'src/path.ts': 'why'`. */
const LONG_FILES = {};

export default defineConfig(
  { ignores: ['dist/', 'coverage/', '.bench-cache/', 'fixtures/repositories/'] },
  {
    // A rule is kept or changed here, for everybody; it is never switched off beside the code.
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'start' }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'object-shorthand': 'error',
      'prefer-template': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // `process.env['NAME']` and index signatures read the same way (noPropertyAccessFromIndexSignature style).
      '@typescript-eslint/dot-notation': 'off',
      // Numbers and booleans in messages are plain; objects are what prints as [object Object].
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // `while (true)` with a bound inside is how a wait is written.
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidOperator: true, ignoreVoidReturningFunctions: true }],
      // A type parameter used once still names what a caller must keep equal (RunnerMethod, ToolHandler).
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // An async method that answers at once keeps the shape of the port it implements.
      '@typescript-eslint/require-await': 'off',
      // Bounds in characters count code points, which is what spreading a string gives.
      '@typescript-eslint/no-misused-spread': 'off',
      // The low-level server is marked for advanced use only; lists made once and -32602 for unknown tools are that.
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', name: 'Server', package: '@modelcontextprotocol/server' }] },
      ],
      '@typescript-eslint/no-invalid-void-type': ['error', { allowInGenericTypeArguments: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  Object.keys(LONG_FILES).map((file) => ({ files: [file], rules: { 'max-lines': 'off' } })),
  {
    // What speaks to a terminal.
    files: ['scripts/**', 'bench/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      // A test states a fact about a value it has just looked up; the failure is the test's own.
      '@typescript-eslint/no-non-null-assertion': 'off',
      'max-lines': 'off',
    },
  },
);
