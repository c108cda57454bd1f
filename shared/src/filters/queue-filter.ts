// Whether a row of the queue matches a filter. The database applies the same filter in SQL.
import type { ItemRow } from '../schemas/parts/item.ts';
import type { QueueFilter } from '../schemas/parts/queue-filter.ts';

type Filtered = Pick<ItemRow, 'risk_flags' | 'model' | 'source' | 'confidence' | 'preview' | 'title'>;

/**
 * Whether a row matches the filter; a row without a visible confidence matches no confidence filter. Flag, model and
 * source are compared as submitted. `text` is compared literally, and only A to Z and a to z are case-insensitive: the
 * case rules for other letters depend on the database, and page and database must agree.
 */
export function answers(filter: QueueFilter, row: Filtered): boolean {
  const { flag, model, source, min_confidence, max_confidence, text } = filter;
  return (
    (flag === undefined || row.risk_flags.includes(flag)) &&
    (model === undefined || row.model === model) &&
    (source === undefined || row.source === source) &&
    (min_confidence === undefined || (row.confidence !== null && row.confidence >= min_confidence)) &&
    (max_confidence === undefined || (row.confidence !== null && row.confidence <= max_confidence)) &&
    (text === undefined || [row.title ?? '', row.preview].some((line) => folded(line).includes(folded(text))))
  );
}

/** Whether the filter matches everything. */
export const isUnfiltered = (filter: QueueFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

const folded = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
