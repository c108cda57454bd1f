// One saved filter: its name, and what it lists as the query of an address.
import type { Scope } from '#lib/live/queue/queue-model.ts';
import { queueUrlOf, parseQueueUrl } from '../queue-url.ts';

export interface SavedFilter {
  readonly name: string;
  /** The query of its address: reading it back is what reading any address is. */
  readonly query: string;
}

export const MOST_SAVED = 20;
export const LONGEST_NAME = 40;

/** A name as it is kept. */
export const normalizedName = (name: string): string => name.trim().slice(0, LONGEST_NAME);

/** What a saved filter lists. */
export function scopeOf({ query }: SavedFilter): Scope {
  const { item: _, ...scope } = parseQueueUrl({ searchParams: new URLSearchParams(query) });
  return scope;
}

export const queryOf = (scope: Scope): string => queueUrlOf({ ...scope, item: null }).split('?')[1] ?? '';

/** What was kept, without what is not a saved filter, a name twice, or too many. */
export function validFilters(stored: unknown): SavedFilter[] {
  const names = new Set<string>();
  const isNew = (name: string) => name !== '' && !names.has(name) && names.add(name) === names;
  return (Array.isArray(stored) ? stored : [])
    .filter(
      (each: Partial<Record<keyof SavedFilter, unknown>> | null): each is SavedFilter =>
        typeof each?.name === 'string' &&
        typeof each.query === 'string' &&
        isNew(normalizedName(each.name).toLocaleLowerCase()),
    )
    .slice(0, MOST_SAVED);
}
