// A stand-in for the SDK of Trigger.dev: runs one task in this process, with waitpoint tokens that are kept when completed early.

interface Context {
  ctx: { run: { id: string } };
}

interface Task {
  run(payload: { question: string }, context: Context): Promise<string | null>;
}

let current: Task | undefined;
const tokens = new Map<string, PromiseWithResolvers<undefined>>();

export class NotFoundError extends Error {}

export function task(given: Task): Task {
  current = given;
  return given;
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
