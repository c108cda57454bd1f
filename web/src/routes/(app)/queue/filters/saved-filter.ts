// One saved filter: its name, and its list as the query of a URL.
import type { Scope } from '#lib/live/queue/queue-model.ts';
import { queueUrlOf, parseQueueUrl } from '../queue-url.ts';

export interface SavedFilter {
  readonly name: string;
  /** The query of its URL; it is parsed as any other URL. */
  readonly query: string;
}

export const MOST_SAVED = 20;
export const LONGEST_NAME = 40;

/** The name in its stored form. */
export const normalizedName = (name: string): string => name.trim().slice(0, LONGEST_NAME);

/** The list of a saved filter. */
export function scopeOf({ query }: SavedFilter): Scope {
  const { item: _, ...scope } = parseQueueUrl({ searchParams: new URLSearchParams(query) });
  return scope;
}

export const queryOf = (scope: Scope): string => queueUrlOf({ ...scope, item: null }).split('?')[1] ?? '';

/** The stored filters without invalid entries, duplicate names, and entries above the limit. */
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
