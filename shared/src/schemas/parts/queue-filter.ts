// A filter of the queue; filters/queue-filter.ts says which rows match it.
import { z } from 'zod';
import { queryNumber } from './query-number.ts';
import { plainText } from './plain-text.ts';

const confidence = queryNumber(0, 1);

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
