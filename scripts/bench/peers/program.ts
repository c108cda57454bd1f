// Starts another program in a folder of its own, and stops it with everything it started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A Python program may take minutes for its first start: it creates its tables. */
const READY_MS = 300_000;
const LOOK_MS = 500;

export interface Program {
  stop(): Promise<void>;
}

interface Start {
  file: string;
  args: string[];
  env: Record<string, string>;
  /** It is ready when this answers with any status below 500. */
  readyUrl: string;
}

/** A new folder, which the program's `stop` removes. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'countersign-peer-'));

/** Throws when it ends, or does not answer in time, with the end of what it wrote. */
export async function startProgram(folder: string, { file, args, env, readyUrl }: Start): Promise<Program> {
  const child = spawn(file, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  const note = (chunk: Buffer) => (said = (said + String(chunk)).slice(-2000));
  child.stdout.on('data', note);
  child.stderr.on('data', note);
  const gone = once(child, 'close');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  const until = performance.now() + READY_MS;
  while (child.exitCode === null && performance.now() < until) {
    const status = await fetch(readyUrl, { signal: AbortSignal.timeout(LOOK_MS * 10) }).then(
      (answer) => answer.status,
      () => 500,
    );
    if (status < 500) return { stop };
    await delay(LOOK_MS);
  }
  await stop();
  throw new Error(`${file} did not start: ${said}`);
}
