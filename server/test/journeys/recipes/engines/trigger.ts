// Stands in for the SDK of Trigger.dev: runs one task, with waitpoint tokens that may be completed early.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

interface Context {
  ctx: { run: { id: string } };
}

interface Definition {
  id: string;
  run(payload: { question: string }, context: Context): Promise<string | null>;
}

interface Task extends Definition {
  triggerAndWait(
    payload: { question: string },
    options: { idempotencyKey: string },
  ): { unwrap(): Promise<string | null> };
}

let current: Task | undefined;
const tokens = new Map<string, PromiseWithResolvers<undefined>>();

export class NotFoundError extends Error {}

/** The task that a run is of is the one that was created last. */
export function task(given: Definition): Task {
  current = { ...given, triggerAndWait: (payload, options) => ({ unwrap: () => resultOnce(given, payload, options) }) };
  return current;
}

/** The result of the first run with this key, from a file, since the engine keeps it when a process is killed. */
async function resultOnce(
  { id, run }: Definition,
  payload: { question: string },
  { idempotencyKey: key }: { idempotencyKey: string },
): Promise<string | null> {
  const file = `result-${id}-${key}.json`;
  if (!existsSync(file))
    writeFileSync(file, JSON.stringify(await run(payload, { ctx: { run: { id: `${id}-${key}` } } })));
  return JSON.parse(readFileSync(file, 'utf8')) as string | null;
}

/** The first completion of a token of `flaky-…` fails, as when Trigger.dev cannot be reached. */
let reached = false;

export const wait = {
  createToken({ idempotencyKey }: { idempotencyKey: string; timeout: string }) {
    const id = `waitpoint_${idempotencyKey}`;
    if (!tokens.has(id)) tokens.set(id, Promise.withResolvers<undefined>());
    return Promise.resolve({ id });
  },
  completeToken(id: string): Promise<void> {
    process.stdout.write(`complete ${id}\n`);
    if (id.includes('flaky-') && !reached) {
      reached = true;
      return Promise.reject(new Error('Trigger.dev is down'));
    }
    const token = tokens.get(id);
    if (token === undefined) return Promise.reject(new NotFoundError(id));
    token.resolve(undefined);
    return Promise.resolve();
  },
  forToken: ({ id }: { id: string }) => tokens.get(id)?.promise,
  for: (): Promise<never> => Promise.reject(new Error('The task looked before its item was final.')),
};

/** Test side: one attempt of the run. */
export function runTask(runId: string, question: string): Promise<string | null> {
  if (current === undefined) throw new Error('No task was created.');
  return current.run({ question }, { ctx: { run: { id: runId } } });
}
