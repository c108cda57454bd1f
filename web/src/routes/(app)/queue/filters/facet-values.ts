// The values that a filter offers for one field: those of the rows of the view.
import { filterOf, matchesScope, type QueueState } from '#lib/live/queue/queue-model.ts';

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
