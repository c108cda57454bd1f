// Runs the programs of docs/recipes as they are stored.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');
export const RECIPES = join(ROOT, 'docs/recipes');

/** A running program of a recipe. */
export interface Program {
  /** Everything that it has written. */
  output(): string;
  /** Its exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Ends it as SIGTERM does, or as a lost machine does. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program; it is killed when the test ends. */
export function startProgram(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Program {
  const child: ChildProcess = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = (once(child, 'close') as Promise<[number | null]>).then(([code]) => code);
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    await ended;
  };
  onTestFinished(() => kill());
  return { output: () => output, ended, kill };
}

/** Waits until the program has written this. Throws with its output when it never does, or when it ends before. */
export async function expectOutput(program: Program, text: string): Promise<void> {
  await expect.poll(program.output).toContain(text);
}
