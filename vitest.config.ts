// Test projects. `npm test` runs them all; `npx vitest run --project unit` runs one. scripts/test.ts brings PostgreSQL and Redis.
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const { TEST_POSTGRES_URL, TEST_REDIS_URL } = process.env;
const SECOND = 1000;

/** Two files at a time: the machine that checks this has two cores. */
const light = { pool: 'forks', maxWorkers: 2 } as const;

/** What a slow machine may take to come to what is waited for; nothing is ever waited out. In milliseconds. */
const PATIENCE = { poll: { timeout: 15 * SECOND } };

/** Files that start servers share the modules they load: to load them takes longer than most of them run. */
const onServers = {
  ...light,
  environment: 'node',
  isolate: false,
  setupFiles: 'server/test/watch-logs.ts',
  expect: PATIENCE,
} as const;

const unit: TestProjectInlineConfiguration = {
  test: {
    ...light,
    name: 'unit',
    environment: 'node',
    testTimeout: 15 * SECOND,
    include: ['shared/src/**/*.test.ts', 'server/src/**/*.test.ts', 'scripts/**/*.test.ts'],
  },
};

const USE_CASES = 'server/test/integration/**/*.test.ts';
const JOURNEYS = 'server/test/journeys/**/*.test.ts';
/** What another database under the same processes could change: what a kill leaves behind, a start, a stop, a dump, and the first story. */
const JOURNEYS_OF_A_FOLDER = ['crash', 'dump', 'intake-crash', 'stopping', 'submit-and-decide'].map(
  (name) => `server/test/journeys/${name}.test.ts`,
);

/** One database after the other, so that whatever only one of them forgives shows. */
function onDatabase(
  name: 'pglite' | 'postgres',
  groupOrder: number,
  journeys: string[],
): TestProjectInlineConfiguration {
  return {
    test: {
      ...onServers,
      name,
      include: [USE_CASES, ...journeys],
      env: { TEST_DATABASE: name },
      testTimeout: 30 * SECOND,
      hookTimeout: 60 * SECOND,
      sequence: { groupOrder },
    },
  };
}

/** They measure how soon something shows, or are many at once: nothing else may run beside them. */
const TIMED = ['crowd', 'desk', 'presence', 'resync', 'sessions', 'story', 'topology', 'two-reviewers'].map(
  (name) => `e2e/${name}.test.ts`,
);

/** Where there are both services the browser meets two processes behind one address, else the embedded one. */
function inBrowser(name: string, groupOrder: number, files: { include: string[]; exclude?: string[] }) {
  return {
    test: {
      ...onServers,
      ...files,
      name,
      env: { TEST_DATABASE: TEST_POSTGRES_URL && TEST_REDIS_URL ? 'postgres' : 'pglite' },
      testTimeout: 60 * SECOND,
      hookTimeout: 120 * SECOND,
      sequence: { groupOrder },
    },
  } satisfies TestProjectInlineConfiguration;
}

const e2e = inBrowser('e2e', 3, { include: ['e2e/**/*.test.ts'], exclude: TIMED });
const timed = inBrowser('e2e-timed', 4, { include: TIMED });
const oneByOne = { ...timed, test: { ...timed.test, fileParallelism: false, maxWorkers: 1 } };

/** Every use case on both databases; a journey on the one that teams run, and where that is missing on the embedded one. */
const onDatabases =
  TEST_POSTGRES_URL && TEST_REDIS_URL
    ? [onDatabase('pglite', 1, JOURNEYS_OF_A_FOLDER), onDatabase('postgres', 2, [JOURNEYS])]
    : [onDatabase('pglite', 1, [JOURNEYS])];

export default defineConfig({
  test: { projects: [unit, './web/vitest.config.ts', ...onDatabases, e2e, oneByOne] },
});
