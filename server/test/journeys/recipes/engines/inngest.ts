// A stand-in for Inngest: runs one function in this process, with steps, and events that only a waiting function gets.

interface Step {
  run<T>(id: string, run: () => Promise<T>): Promise<T>;
  waitForEvent(id: string, options: { event: string; if: string; timeout: string }): Promise<unknown>;
}

interface Context {
  event: { data: { question: string } };
  step: Step;
  runId: string;
}

type Handler = (context: Context) => Promise<string | null>;

interface Sent {
  id: string;
  name: string;
  data: { item_id: string };
}

let handler: Handler | undefined;
let waiting: { name: string; condition: string; wake: (data: unknown) => void } | undefined;
const seen = new Set<string>();
const ids = new Set<string>();

export class Inngest {
  createFunction(_options: object, given: Handler): object {
    handler = given;
    return {};
  }

  /** The first event of the process gets lost: it comes before the function waits. */
  send({ id, name, data }: Sent): Promise<void> {
    process.stdout.write(`event ${name}${seen.has(id) ? ', a repeat' : ''}\n`);
    const matches = waiting?.name === name && waiting.condition === `async.data.item_id == '${data.item_id}'`;
    if (!seen.has(id) && matches) waiting?.wake(data);
    seen.add(id);
    return Promise.resolve();
  }
}

const step: Step = {
  run: (id, run) => {
    if (ids.has(id)) throw new Error(`Two steps have the ID ${id}.`);
    ids.add(id);
    return run();
  },
  waitForEvent: async (id, { event, if: condition, timeout }) => {
    process.stdout.write(`${id}: waits for ${timeout}\n`);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting = { name: event, condition, wake: resolve };
    // The time limit, when the test says so.
    process.once('SIGUSR2', () => resolve(null));
    const data = await promise;
    waiting = undefined;
    return data;
  },
};

/** Test side: runs the function, as Inngest does after an event. */
export function runFunction(runId: string, question: string): Promise<string | null> {
  if (handler === undefined) throw new Error('No function was created.');
  return handler({ event: { data: { question } }, step, runId });
}
