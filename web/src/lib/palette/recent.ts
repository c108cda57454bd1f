// Stores a user's recent palette entries in this browser.
import { browserStorage } from '../drafts/drafts.ts';

const nameOf = (user: string): string => `countersign.palette.${user}`;

/** The ids of recently used entries, newest first. */
export function readRecent(user: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(browserStorage()?.getItem(nameOf(user)) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string').slice(0, 20) : [];
  } catch {
    return [];
  }
}

/** Saves them; a browser that stores nothing only loses the order. */
export function keepRecent(user: string, ids: readonly string[]): void {
  try {
    browserStorage()?.setItem(nameOf(user), JSON.stringify(ids));
  } catch {
    // The palette works without it.
  }
}
