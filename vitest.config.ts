// Test projects. `npm test` runs them all; `npx vitest run --project unit` runs one. scripts/test.ts brings PostgreSQL and Redis.
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const SECOND = 1000;

/** What a slow machine may take to come to what is waited for; nothing is ever waited out. In milliseconds. */
const PATIENCE = { poll: { timeout: 30 * SECOND } };

/** Files share the modules they load: to load them takes longer than most files run. Two at a time, for a machine with two cores. */
const shared = { pool: 'forks', maxWorkers: 2, isolate: false, environment: 'node' } as const;

/** Files that start servers, in this process or in others. */
const onServers = {
  ...shared,
  setupFiles: ['server/test/patience.ts', 'server/test/watch-logs.ts'],
  expect: PATIENCE,
};

/** They move the clock under an HTTP client that keeps one timer for all its requests: the next file would inherit it. */
const OWN_PROCESS = 'server/src/webhooks/{send,kept,connections}*.test.ts';

const unit: TestProjectInlineConfiguration = {
  test: {
    ...shared,
    name: 'unit',
    setupFiles: 'server/test/patience.ts',
    expect: PATIENCE,
    testTimeout: 60 * SECOND,
    include: ['shared/src/**/*.test.ts', 'server/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    exclude: [OWN_PROCESS],
  },
};

const unitAlone: TestProjectInlineConfiguration = {
  test: { ...unit.test, name: 'unit-alone', isolate: true, include: [OWN_PROCESS], exclude: [] },
};

/** Each use case on a real database, in the test's own process. */
const usecases: TestProjectInlineConfiguration = {
  test: {
    ...onServers,
    name: 'usecases',
    include: ['server/test/integration/**/*.test.ts'],
    testTimeout: 60 * SECOND,
    hookTimeout: 60 * SECOND,
  },
};

/** Stories through real processes, some of which are killed. */
const journeys: TestProjectInlineConfiguration = {
  test: {
    ...onServers,
    name: 'journeys',
    include: ['server/test/journeys/**/*.test.ts'],
    testTimeout: 120 * SECOND,
    hookTimeout: 120 * SECOND,
  },
};

/** Pages in a real browser, on real processes. */
const e2e: TestProjectInlineConfiguration = {
  test: {
    ...onServers,
    name: 'e2e',
    include: ['e2e/**/*.test.ts'],
    testTimeout: 180 * SECOND,
    hookTimeout: 180 * SECOND,
  },
};

export default defineConfig({
  test: { projects: [unit, unitAlone, './web/vitest.config.ts', usecases, journeys, e2e] },
});
