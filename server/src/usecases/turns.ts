// Long work gives way: whoever else waits is served meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Nobody else is kept waiting longer than this by one piece of work, in ms. */
const TURN_MS = 10;

/** A function to call between the pieces of long work: it lets others have their turn whenever this work had its own. */
export function turns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await nextTurn();
    since = performance.now();
  };
}
