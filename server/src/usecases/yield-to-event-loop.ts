// Lets long tasks yield: one turn of the event loop runs one piece of all long tasks together (MB9).
import { RoundRobin } from '../limits/round-robin.ts';

/** The longest time that one piece of a task blocks others, in ms. */
const MAX_BLOCKING_MS = 10;

interface EventLoopYielder {
  /** Resolves when one more piece of a long task may run; await it before a task that may start at the same time as others. */
  waitForTurn: () => Promise<void>;
  /** Creates a function to call between the pieces of a long task: it yields when the task has used its time. */
  createYielder: () => () => Promise<void>;
}

export function createEventLoopYielder(queue = new RoundRobin(1), now = () => performance.now()): EventLoopYielder {
  let count = 0;
  const turnFor = (work: string) => new Promise<void>((resolve) => void queue.ask(work, resolve));
  // Each task has its own queue: other limits bound how many of them a person may have (MB1, RL6).
  const newTask = () => String((count += 1));
  return {
    waitForTurn: () => turnFor(newTask()),
    createYielder: () => {
      const work = newTask();
      let since = now();
      return async () => {
        if (now() - since < MAX_BLOCKING_MS) return;
        await turnFor(work);
        since = now();
      };
    },
  };
}

/** There is one event loop in a process. */
export const { waitForTurn, createYielder } = createEventLoopYielder();
