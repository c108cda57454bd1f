// Long work gives way: whoever else waits is served meanwhile, and of all long work one piece is done in one turn of the event loop (MB9).
import { RoundRobin } from '../limits/round-robin.ts';

/** Nobody else is kept waiting longer than this by one piece of work, in ms. */
const MAX_BLOCKING_MS = 10;

interface EventLoopYielder {
  /** Resolves when it is the turn of one more piece of long work; to be awaited before it, where it may begin at the same time as others. */
  waitForTurn: () => Promise<void>;
  /** A function to call between the pieces of long work: it lets others have their turn whenever this work had its own. */
  createYielder: () => () => Promise<void>;
}

export function createEventLoopYielder(queue = new RoundRobin(1), now = () => performance.now()): EventLoopYielder {
  let count = 0;
  const turnFor = (work: string) => new Promise<void>((resolve) => void queue.ask(work, resolve));
  // Each piece of work is one of its own: how many of them somebody may have at once is limited elsewhere (MB1, RL6).
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
