// Runs an external server program as a child: waits until it is ready, and ends it with this process.
import type { ChildProcess } from 'node:child_process';

const READY_MS = 60_000;
const END_MS = 20_000;

export interface Child {
  /** Ends it with this signal, and with SIGKILL when that takes too long. Safe to call twice. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Waits until the child prints `readyText`. Throws when it ended or took too long, with its output. */
export async function watchChild(child: ChildProcess, { readyText }: { readyText: string }): Promise<Child> {
  const gone = new Promise((resolve) => child.once('close', resolve));
  const last = () => child.kill('SIGTERM');
  process.once('exit', last);
  child.once('exit', () => process.off('exit', last));
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await gone.finally(() => clearTimeout(timer));
  };
  await ready(child, readyText).catch(async (error: unknown) => {
    if (child.pid !== undefined) await end('SIGKILL');
    throw error;
  });
  return { end };
}

async function ready(child: ChildProcess, text: string): Promise<void> {
  let output = '';
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const fail = (why: string) => reject(new Error(`${child.spawnfile} ${why}:\n${output.slice(-2000)}`));
  const timer = setTimeout(() => fail(`was not ready after ${READY_MS / 1000} s`), READY_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      if (output.length < 100_000) output += chunk.toString();
      if (output.includes(text)) resolve(undefined);
    });
  }
  child.once('error', (error) => fail(error.message));
  child.once('exit', (code) => fail(`ended with ${code}`));
  await promise.finally(() => clearTimeout(timer));
}
