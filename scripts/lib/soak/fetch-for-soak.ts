// Fetches what only a soak needs: the MCP conformance suite, and the newest release of each agent framework.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchPackages, reasonOf } from '../packages/fetch-packages.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** It is kept from one soak to the next. */
const CACHE = join(ROOT, 'node_modules/.cache/soak');
const run = promisify(execFile);

/** The suite asks for exactly this version, whose scenarios `mcp-conformance.test.ts` knows. */
const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const FRAMEWORKS = ['langchain', 'langgraph', 'pydantic-ai-slim', 'openai-agents', 'mcp'];
/** What the tests of the adapters run with, in the version that the other tests pin. */
const TOOLS = ['pytest', 'hypothesis'];

/**
 * Names what it fetched in environment variables of the tests: `MCP_CONFORMANCE`, `PYTHON_NEWEST`, `AI_NEWEST`. A variable that is
 * set already stays. Returns a line for each thing that the machine or the registry does not give.
 */
export async function fetchForSoak(env: NodeJS.ProcessEnv): Promise<string[]> {
  const things = [
    { variable: 'MCP_CONFORMANCE', fetch: fetchConformance, what: 'The MCP conformance suite is not run' },
    { variable: 'PYTHON_NEWEST', fetch: fetchFrameworks, what: 'The newest Python frameworks are not tried' },
    { variable: 'AI_NEWEST', fetch: fetchAiSdk, what: 'The newest AI SDK is not tried' },
  ];
  const missing: string[] = [];
  for (const { variable, fetch, what } of things) {
    if (env[variable] !== undefined) continue;
    try {
      env[variable] = await fetch();
    } catch (error) {
      missing.push(`${what}: ${reasonOf(error)}`);
    }
  }
  return missing;
}

/** The program of the suite. */
async function fetchConformance(): Promise<string> {
  const folder = await fetchPackages({ folder: 'conformance', packages: [CONFORMANCE] });
  return join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
}

/** A folder in whose `node_modules` the newest `ai` is. */
const fetchAiSdk = (): Promise<string> => fetchPackages({ folder: 'ai-sdk', packages: ['ai@latest'] });

/** The `python` of an environment with the newest frameworks. The package itself is not in it. */
async function fetchFrameworks(): Promise<string> {
  const folder = join(CACHE, 'python');
  const python = join(folder, 'bin/python');
  if (!existsSync(python)) await run(process.env.PYTHON_SDK ?? 'python3', ['-m', 'venv', folder]);
  const pins = readFileSync(join(ROOT, 'sdk/python/requirements-dev.txt'), 'utf8').split('\n');
  const tools = pins.filter((pin) => TOOLS.includes(pin.split('==')[0] ?? ''));
  const options = ['--quiet', '--disable-pip-version-check', '--retries=1', '--upgrade', '--upgrade-strategy=eager'];
  await run(python, ['-m', 'pip', 'install', ...options, 'httpx', ...FRAMEWORKS, ...tools], { maxBuffer: 2 ** 26 });
  return python;
}
