// The message of a page that receives no live events.
import { presenceMessages as messages } from '#lib/messages/presence-messages.ts';
import type { LiveState } from './connection.svelte.ts';

interface Connection {
  readonly state: LiveState;
  readonly tooMany: boolean;
}

/**
 * The sentence for a page without a live connection, `offline` where nothing can be reached; null where there is nothing to say.
 */
export function connectionMessage({ state, tooMany }: Connection, offline: string): string | null {
  if (state === 'offline') return offline;
  if (state !== 'polling') return null;
  return tooMany ? messages.tooManyTabs : messages.polling;
}
