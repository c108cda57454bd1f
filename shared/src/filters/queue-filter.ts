// A filter of the queue: what it may ask for, and whether a row answers it. The database asks the same in SQL.
import { z } from 'zod';
import type { ItemRow } from '../item.ts';

const confidence = z.coerce.number().min(0).max(1);

/** No item holds a NUL or half a character, and no database can be asked for one. */
export const plainText = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'NUL and half characters cannot be looked for.');

/** As it stands in a query. Every field narrows; confidences include their ends; `text` is looked for in the preview. */
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
 * Whether a row answers the filter; one whose confidence is not shown answers none for it. Flag, model and source are compared as submitted. `text` is compared character by
 * character, each standing for itself; only A to Z and a to z count as the same, because what other letters count as depends
 * on the database, and page and database have to agree.
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

/** Whether the filter lets everything through. */
export const isUnfiltered = (filter: QueueFilter): boolean =>
  Object.values(filter).every((value) => value === undefined);

const folded = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
