// Tells a request which item its caller was allowed to see, so that the trace of an item has no requests of strangers.
import { AsyncLocalStorage } from 'node:async_hooks';

/** What is known of a request. */
interface SeenItem {
  itemId?: string;
}

const requests = new AsyncLocalStorage<SeenItem>();

/** Runs a request; `seen` gets the item that its caller was allowed to see, if any. */
export const withSeenItem = <T>(seen: SeenItem, work: () => Promise<T>): Promise<T> => requests.run(seen, work);

/** Called where an item was stored, or read with permission. Without a request, nothing happens. */
export function noteSeenItem(itemId: string): void {
  const seen = requests.getStore();
  if (seen !== undefined) seen.itemId = itemId;
}
