// Tries the newest release of each agent framework with the tests of its adapter, and says what broke (`test:soak`).
import { execFile } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { useTestEnvironment } from '../../test-environment.ts';
import { runPython, setStage, type Stage } from './python.ts';

/** Where scripts/lib/soak/fetch-for-soak.ts has put them, and the file for the lines that the run ends with. */
const { AI_NEWEST, NEWEST_REPORT, PYTHON_NEWEST } = process.env;
const ROOT = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

/** Packages of each framework with the tests of its adapter. The examples wait for a person of a real server. */
const FRAMEWORKS = [
  { packages: ['langchain', 'langgraph'], tests: ['tests/test_langchain.py', ...example('langchain_agent')] },
  { packages: ['pydantic-ai-slim'], tests: ['tests/test_pydantic_ai.py', ...example('pydantic_ai_agent')] },
  { packages: ['openai-agents'], tests: ['tests/test_openai_agents.py', ...example('openai_agent')] },
  { packages: ['mcp'], tests: ['tests/live/test_mcp.py'] },
];

function example(name: string): string[] {
  const kinds = ['a_tool_call_waits_for_a_person_and_runs', 'a_killed_agent_goes_on_with_the_same_item'];
  // LangGraph's example has no place outside the process to go on from.
  const own = name === 'langchain_agent' ? kinds.slice(0, 1) : kinds;
  return own.map((kind) => `tests/live/test_examples.py::test_${kind}[${name}]`);
}

/** Says in one line how it went, at the end of the run too. */
function report(versions: string, error: unknown): void {
  const outcome = error === null ? 'passed' : `failed: ${reasonOf(error)}`;
  const line = `NEWEST  ${versions}: ${outcome}\n`;
  process.stdout.write(line);
  if (NEWEST_REPORT !== undefined) appendFileSync(NEWEST_REPORT, line);
}

/** What names a failed test in the output of pytest and vitest, or else the first error. */
const REASONS = [/^(?:FAILED|ERROR) .*$/m, /^ *FAIL .*$/m, /^E {3}.*$/m, /^.*\S.*$/m];

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const found = REASONS.map((reason) => reason.exec(text)?.[0]).find((line) => line !== undefined);
  return (found ?? '').trim().slice(0, 200);
}

/** Runs `trying`, reports how it went, and fails where it failed. */
async function tried(versions: string, trying: () => Promise<void>): Promise<void> {
  try {
    await trying();
  } catch (error) {
    report(versions, error);
    throw error;
  }
  report(versions, null);
}

describe.runIf(PYTHON_NEWEST !== undefined)('the newest Python frameworks (where PYTHON_NEWEST has them)', () => {
  const testEnv = useTestEnvironment({ processes: 1 });
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage(testEnv, await openProject(await person(testEnv)));
  });
  afterAll(() => stage.close());

  it.for(FRAMEWORKS)(
    'pass the tests of their adapter: $packages.0',
    { timeout: 600_000 },
    async (framework, { signal }) => {
      const { packages, tests } = framework;
      const python = (args: readonly string[]) =>
        runPython(args, { ...stage.env, PYTHONPATH: join(ROOT, 'sdk/python/src') }, { signal, python: PYTHON_NEWEST });
      const { output } = await python(['-c', VERSIONS_OF, ...packages]);
      const newest = JSON.parse(output) as string[];
      const versions = packages.map((name, index) => `${name} ${pinned(name)} -> ${newest[index]}`).join(', ');
      await tried(versions, async () => {
        const { code, output: said } = await python(['-m', 'pytest', ...tests]);
        // A framework that is not there is skipped: nothing was tried.
        if (code !== 0 || !/^[1-9]\d* passed in/m.test(said)) throw new Error(said);
      });
    },
  );
});

const VERSIONS_OF =
  'import importlib.metadata, json, sys; print(json.dumps([importlib.metadata.version(n) for n in sys.argv[1:]]))';

function pinned(name: string): string {
  const pins = readFileSync(join(ROOT, 'sdk/python/requirements-frameworks.txt'), 'utf8');
  return new RegExp(`^${name}==(.*)$`, 'm').exec(pins)?.[1] ?? 'not pinned';
}

describe.runIf(AI_NEWEST !== undefined)('the newest AI SDK (where AI_NEWEST has it)', () => {
  it('passes the tests of its adapter', { timeout: 600_000 }, async () => {
    const versionIn = (folder: string) =>
      (JSON.parse(readFileSync(join(folder, 'node_modules/ai/package.json'), 'utf8')) as { version: string }).version;
    await tried(`ai ${versionIn(ROOT)} -> ${versionIn(AI_NEWEST ?? '')}`, async () => {
      const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
      // Its variables would tell the run inside that it is a worker of this one.
      const own = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
      // The cache of modules does not know which AI SDK an import was resolved to.
      const args = [vitest, 'run', '--fsModuleCache=false', '--project', 'unit', 'sdk/ai-sdk/src'];
      const options = {
        cwd: ROOT,
        env: { ...Object.fromEntries(own), NO_COLOR: '1', AI_SDK_FROM: AI_NEWEST },
        maxBuffer: 2 ** 26,
      };
      const { stdout } = await run(process.execPath, args, options).catch(
        (error: Error & { stdout?: string; stderr?: string }) => {
          throw new Error(`${error.stdout ?? ''}${error.stderr ?? ''}` || error.message);
        },
      );
      expect(stdout).toMatch(/Tests +[1-9]\d* passed/);
    });
  });
});
