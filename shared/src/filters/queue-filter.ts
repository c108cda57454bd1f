// A filter of the queue: its schema, and whether a row matches it. The database applies the same filter in SQL.
import { z } from 'zod';
import type { ItemRow } from '../item.ts';

const confidence = z.coerce.number().min(0).max(1);

/** No item contains a NUL or a lone surrogate, and PostgreSQL accepts neither as a parameter. */
export const plainText = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'NUL and lone surrogates cannot be searched for.');

/** As in a query string. Every field narrows; confidence bounds are inclusive; `text` is searched in the preview. */
export const queueFilter = z.object({
  flag: plainText(100).optional(),
  model: plainText(200).optional(),
  source: plainText(200).optional(),
  min_confidence: confidence.optional(),
  max_confidence: confidence.optional(),
  text: plainText(100).trim().min(1).optional(),
});
export type QueueFilter = z.infer<typeof queueFilter>;

type Filtered = Pick<ItemRow, 'risk_flags' | 'model' | 'source' | 'confidence' | 'preview'>;

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
    (text === undefined || folded(row.preview).includes(folded(text)))
  );
}

/** Whether the filter matches everything. */
export const isUnfiltered = (filter: QueueFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

const folded = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
