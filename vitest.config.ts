// Test projects. `npm test` runs them all; `npx vitest run --project unit` runs one. scripts/test.ts starts PostgreSQL and Redis.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config';

const SECOND = 1000;

/** In milliseconds, a timeout for a slow machine; no test waits it out. */
const PATIENCE = { poll: { timeout: 30 * SECOND } };

/** Files share loaded modules: loading takes longer than most files run. Two at a time, for a machine with two cores. */
const shared = { pool: 'forks', maxWorkers: 2, isolate: false, environment: 'node' } as const;

/** Files that start servers, in this process or in others. */
const onServers = {
  ...shared,
  setupFiles: ['server/test/wait-timeouts.ts', 'server/test/setup-log-watch.ts'],
  expect: PATIENCE,
};

/**
 * Files that wait for other processes, and leave a processor idle for a third of their time: three at a time, after all others,
 * since Vitest runs projects with different numbers of workers one after the other.
 */
const onProcesses = { ...onServers, maxWorkers: 3, sequence: { groupOrder: 1 } };

/** They fake the clock of an HTTP client that has one timer for all its requests: the next file would inherit it. */
const OWN_PROCESS = 'server/src/delivery/{send,answer,connections}*.test.ts';

/** The folder of an AI SDK to try instead of the pinned one (`server/test/journeys/python/newest.test.ts`). */
const { AI_SDK_FROM } = process.env;
const newestAi: Plugin = {
  name: 'newest-ai-sdk',
  enforce: 'pre',
  resolveId(id) {
    if (AI_SDK_FROM === undefined || !/^(ai|@ai-sdk\/[^/]+)(\/|$)/.test(id)) return null;
    return this.resolve(id, join(AI_SDK_FROM, 'package.json'), { skipSelf: true });
  },
};

const unit: TestProjectInlineConfiguration = {
  plugins: [newestAi],
  test: {
    ...shared,
    name: 'unit',
    setupFiles: 'server/test/wait-timeouts.ts',
    expect: PATIENCE,
    testTimeout: 60 * SECOND,
    include: ['shared/src', 'server/src', 'sdk/mcp/src', 'sdk/ai-sdk/src', 'scripts'].map(
      (folder) => `${folder}/**/*.test.ts`,
    ),
    exclude: [OWN_PROCESS],
  },
};

const unitAlone: TestProjectInlineConfiguration = {
  test: { ...unit.test, name: 'unit-alone', isolate: true, include: [OWN_PROCESS], exclude: [] },
};

const WEB = join(import.meta.dirname, 'web');
/** It configures libraries that the tests load, so it runs after a reset of the modules. */
const EACH_FILE = join(WEB, 'src/each-file.fixture.ts');
const ofTheWeb = { extends: './web/vitest.config.ts', root: WEB } as const;

const tests = globSync('src/**/*.test.ts', { cwd: WEB }).map((path) => {
  const text = readFileSync(join(WEB, path), 'utf8');
  return { path: escaped(path), replacesModules: /\bvi\.mock\(/.test(text), needsDocument: text.includes('happy-dom') };
});
const pathsOf = (chosen: typeof tests) => chosen.map(({ path }) => path);

/** A module that one file replaces is loaded with the modules that import it: each of these files loads its own modules. */
const mocking = tests.filter(({ replacesModules }) => replacesModules);
/** A process has one environment: between files of the other one it would end, and the next would load everything again. */
const withDocument = tests.filter((file) => file.needsDocument && !file.replacesModules);

const web: TestProjectInlineConfiguration = {
  ...ofTheWeb,
  test: {
    name: 'web',
    isolate: false,
    setupFiles: EACH_FILE,
    include: ['src/**/*.test.ts'],
    exclude: pathsOf([...mocking, ...withDocument]),
  },
};

const webDom: TestProjectInlineConfiguration = {
  ...ofTheWeb,
  test: { name: 'web-dom', isolate: false, setupFiles: EACH_FILE, include: pathsOf(withDocument) },
};

const webMocks: TestProjectInlineConfiguration = {
  ...ofTheWeb,
  test: {
    name: 'web-mocks',
    isolate: false,
    setupFiles: [join(WEB, 'src/fresh-modules.fixture.ts'), EACH_FILE],
    include: pathsOf(mocking),
  },
};

/** Route folders have brackets in their names, which glob patterns read as character classes. */
function escaped(path: string): string {
  return path.replaceAll(/[[\]()]/g, '\\$&');
}

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

/** Journeys through real processes, some of which are killed. */
const journeys: TestProjectInlineConfiguration = {
  test: {
    ...onProcesses,
    globalSetup: 'server/test/setup-bundle.ts',
    name: 'journeys',
    include: ['server/test/journeys/**/*.test.ts'],
    testTimeout: 120 * SECOND,
    hookTimeout: 120 * SECOND,
  },
};

/** Pages in a real browser, on real processes. */
const e2e: TestProjectInlineConfiguration = {
  test: {
    ...onProcesses,
    globalSetup: 'server/test/setup-bundle.ts',
    name: 'e2e',
    include: ['e2e/**/*.test.ts'],
    testTimeout: 180 * SECOND,
    hookTimeout: 180 * SECOND,
  },
};

export default defineConfig({
  test: { projects: [unit, unitAlone, web, webDom, webMocks, usecases, journeys, e2e] },
});
