// Test projects. `npm test` runs them all; `npx vitest run --project unit` runs one. scripts/test.ts brings PostgreSQL and Redis.
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const { TEST_POSTGRES_URL, TEST_REDIS_URL } = process.env;
const SECOND = 1000;

/** Two files at a time: the machine that checks this has two cores. */
const light = { pool: 'forks', maxWorkers: 2 } as const;

const unit: TestProjectInlineConfiguration = {
  test: {
    ...light,
    name: 'unit',
    environment: 'node',
    testTimeout: 15 * SECOND,
    include: ['shared/src/**/*.test.ts', 'server/src/**/*.test.ts', 'scripts/**/*.test.ts'],
  },
};

/** The same files on both databases, one database after the other, so that whatever only one of them forgives shows. */
function onDatabase(name: 'pglite' | 'postgres', groupOrder: number): TestProjectInlineConfiguration {
  return {
    test: {
      ...light,
      name,
      environment: 'node',
      include: ['server/test/{integration,journeys}/**/*.test.ts'],
      env: { TEST_DATABASE: name },
      testTimeout: 30 * SECOND,
      hookTimeout: 60 * SECOND,
      sequence: { groupOrder },
    },
  };
}

const e2e: TestProjectInlineConfiguration = {
  test: {
    // One file at a time: a browser and two servers keep both cores busy, and what they show is due within a second.
    pool: 'forks',
    fileParallelism: false,
    name: 'e2e',
    environment: 'node',
    include: ['e2e/**/*.test.ts'],
    // Where there are both services the browser meets two processes behind one address, else the embedded one.
    env: { TEST_DATABASE: TEST_POSTGRES_URL && TEST_REDIS_URL ? 'postgres' : 'pglite' },
    testTimeout: 60 * SECOND,
    hookTimeout: 120 * SECOND,
    sequence: { groupOrder: 3 },
  },
};

const postgres = TEST_POSTGRES_URL && TEST_REDIS_URL ? [onDatabase('postgres', 2)] : [];

export default defineConfig({
  test: { projects: [unit, './web/vitest.config.ts', onDatabase('pglite', 1), ...postgres, e2e] },
});
