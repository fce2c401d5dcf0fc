import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.js';

/**
 * Unit and integration tests, end-to-end tests, and the short form of the soak tests;
 * `npm run test:soak` runs the long form (it sets WC_SOAK=full). Timings are no test's
 * business: `npm run bench` holds the budgets.
 */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/no-process-left.ts', 'test/build-once.ts'],
    // Real children, sockets and stores: a process a file keeps their signals and folders apart.
    pool: 'forks',
    // A file waits for other processes a third of its time.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A test that passes only now and then is a failure that was not looked at.
    retry: 0,
    allowOnly: false,
    passWithNoTests: false,
  },
});
