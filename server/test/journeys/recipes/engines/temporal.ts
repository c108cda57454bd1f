// A stand-in for the packages of Temporal: runs one workflow in this process, and has signals, timers and cancellation.

interface Failure extends Error {
  isCancellation?: true;
}

const cancelled: Failure = Object.assign(new Error('Workflow cancelled'), { isCancellation: true as const });
const handlers = new Map<string, () => void>();
/** Signals that came before their handler, as Temporal keeps them. */
const early: string[] = [];
const waiting = new Set<() => void>();
let activities: object = {};
let current = '';
let isCancelled = false;

/** Test side: the activities of the worker, and the workflow that runs. */
export function setWorker(given: object, workflowId: string): void {
  activities = given;
  current = workflowId;
}

/** Test side: what `handle.cancel()` does. */
export function cancelWorkflow(): void {
  isCancelled = true;
  for (const wake of [...waiting]) wake();
}

/** @temporalio/workflow */
export const proxyActivities = <T>(): T =>
  new Proxy({}, { get: (_, name) => Reflect.get(activities, name) as unknown }) as T;

export const defineSignal = (name: string): string => name;

export function setHandler(signal: string, handler: () => void): void {
  handlers.set(signal, handler);
  for (const _ of early.splice(0).filter((name) => name === signal)) handler();
}

export const workflowInfo = () => ({ workflowId: current });

export const isCancellation = (error: unknown): boolean => (error as Failure).isCancellation === true;

export const CancellationScope = { nonCancellable: <T>(run: () => Promise<T>): Promise<T> => run() };

/** Resolves when it holds. The time limit never passes: a test must not depend on it. */
export async function condition(holds: () => boolean): Promise<boolean> {
  for (;;) {
    if (isCancelled) throw cancelled;
    if (holds()) return true;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = () => resolve(undefined);
    waiting.add(wake);
    await promise;
    waiting.delete(wake);
  }
}

/** @temporalio/activity */
export const ApplicationFailure = {
  nonRetryable: (message: string, type: string) => Object.assign(new Error(message), { type, nonRetryable: true }),
};

/** @temporalio/client */
export class WorkflowNotFoundError extends Error {}

export const Connection = { connect: () => Promise.resolve({}) };

/** The first signal to `flaky-…` fails, as when Temporal cannot be reached. */
let reached = false;

export class Client {
  readonly workflow = {
    getHandle: (workflowId: string) => ({
      signal: (name: string): Promise<void> => {
        process.stdout.write(`signal ${name} to ${workflowId}\n`);
        if (workflowId.startsWith('flaky-') && !reached) {
          reached = true;
          return Promise.reject(new Error('Temporal is down'));
        }
        if (workflowId !== current) return Promise.reject(new WorkflowNotFoundError(workflowId));
        const handler = handlers.get(name);
        if (handler) handler();
        else early.push(name);
        for (const wake of [...waiting]) wake();
        return Promise.resolve();
      },
    }),
  };
}
