// The commands of scripts/ as an operator runs them: processes of their own, on a database that is given to them.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { COMPILED } from './server-process.ts';

type Env = Readonly<Record<string, string>>;

const SCRIPTS = join(import.meta.dirname, '../../scripts');

/** What it says on its output. Errors: when it ends with another code than 0, with what it said. */
export async function runScript(script: string, env: Env, ...args: string[]): Promise<string> {
  const environment = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, ...env };
  const { stdout } = await promisify(execFile)(process.execPath, [join(SCRIPTS, script), ...args], {
    env: environment,
  });
  return stdout;
}

/** `npm run invariants`: every one of them holds, and there were items to hold them against. */
export async function expectInvariants(env: Env): Promise<void> {
  const output = await runScript('invariants.ts', env);
  expect(output).toContain('All of them hold.');
  expect(output).toMatch(/I1, I3, I4, I6: [1-9]\d* items, as they should be/);
}
