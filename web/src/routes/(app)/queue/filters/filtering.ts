// Changes the filter of the list: the options, the active fields as text, and the URL.
import { filterOf, matchesScope, type QueueState, type Scope } from '#lib/live/queue/queue-model.ts';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { queueUrlOf } from '../queue-url.ts';
import { filterMessages as messages } from './filter-messages.ts';

export type Field = keyof QueueFilter;
type Change = { [F in Field]?: QueueFilter[F] | undefined };

const FIELDS = ['text', 'flag', 'model', 'source', 'min_confidence', 'max_confidence'] as const;

/** A filter with some of its fields changed; undefined removes a field. */
export function changed(filter: QueueFilter, change: Change): QueueFilter {
  const next: Change = { ...filter, ...change };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
}

interface NavigationOptions {
  /** The open item stays open. */
  item: string | null;
  /** Replaces the present history entry: one search is one step back, however it was typed. */
  replace?: boolean;
}

/** Applies a filter to the list. The user requested it, so the list may be laid out again. */
export function filterBy(scope: Scope, filter: QueueFilter, { item, replace = false }: NavigationOptions): void {
  void goto(resolve(queueUrlOf({ ...scope, filter, item })), { replace, reset: false });
}

interface Chip {
  readonly field: Field;
  readonly words: string;
}

/** The active fields as text. */
export function chipsOf(filter: QueueFilter): Chip[] {
  return FIELDS.flatMap((field) => {
    const value = filter[field];
    // The table pairs each field with its own text; the compiler cannot follow the pairing through an index.
    const words = messages.chip[field] as (value: string | number) => string;
    return value === undefined ? [] : [{ field, words: words(value) }];
  });
}

export type Facet = 'flag' | 'model' | 'source';

/** The values that the view's rows offer for one field, most frequent first; a selected value is always included. */
export function facetValues(state: QueueState, facet: Facet): { value: string; number: number }[] {
  const numbers = new Map<string, number>();
  const chosen = filterOf(state.scope)[facet];
  if (chosen !== undefined) numbers.set(chosen, 0);
  for (const row of state.rows.values()) {
    if (!matchesScope(state, row)) continue;
    const values = facet === 'flag' ? new Set(row.risk_flags) : row[facet] === null ? [] : [row[facet]];
    for (const value of values) numbers.set(value, (numbers.get(value) ?? 0) + 1);
  }
  return [...numbers]
    .map(([value, number]) => ({ value, number }))
    .sort((a, b) => b.number - a.number || (a.value < b.value ? -1 : 1));
}
