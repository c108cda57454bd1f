// What a page says while it does not hear what happens as it happens.
import { presenceText as text } from '#lib/presence-text.ts';
import type { LiveState } from './connection.svelte.ts';

interface Connection {
  readonly state: LiveState;
  readonly tooMany: boolean;
}

/** The sentence for a page without a live connection, `offline` where nothing can be reached; null where there is nothing to say. */
export function unheard({ state, tooMany }: Connection, offline: string): string | null {
  if (state === 'offline') return offline;
  if (state !== 'polling') return null;
  return tooMany ? text.tooManyTabs : text.polling;
}
