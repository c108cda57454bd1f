// Runs the commands of scripts/ as an operator does: as separate processes, on a given database.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { COMPILED } from './server-process.ts';

type Env = Readonly<Record<string, string>>;

const SCRIPTS = join(import.meta.dirname, '../../scripts');

/** Returns its output. Throws with the output when it exits with another code than 0. */
export async function runScript(script: string, env: Env, ...args: string[]): Promise<string> {
  const { stdout } = await beginScript(script, env, ...args);
  return stdout;
}

/** As `runScript`, with its process as `child` while it runs. */
export function beginScript(script: string, env: Env, ...args: string[]) {
  return promisify(execFile)(process.execPath, [join(SCRIPTS, script), ...args], { env: environmentOf(env) });
}

const environmentOf = (env: Env) => ({ PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, ...env });

/** Runs it with an output that nobody reads, as `| true` does. Returns its exit code. */
export async function withClosedOutput(
  script: string,
  env: Env,
): Promise<{ code: number | null; errorOutput: string }> {
  const child = spawn(process.execPath, [join(SCRIPTS, script)], { env: environmentOf(env), stdio: 'pipe' });
  child.stdout.destroy();
  const [errorOutput] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, errorOutput };
}

/** Runs `npm run invariants`: every one holds, and items were checked. */
export async function expectInvariants(env: Env): Promise<void> {
  const output = await runScript('invariants.ts', env);
  expect(output).toContain('No violations.');
  expect(output).toMatch(/I1, I3, I4, I6: [1-9]\d* items, as they should be/);
}
