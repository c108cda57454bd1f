// Which learnings a page shows, as it stands in the address and in a query: each field narrows.
import { z } from 'zod';
import { plainText } from './queue-filter.ts';

export const learningFilter = z.object({
  action: z.enum(['edit', 'reject']).optional(),
  /** As they were submitted. */
  flag: plainText(100).optional(),
  model: plainText(200).optional(),
  source: plainText(200).optional(),
  /** Decided at or after this moment. */
  since: z.iso
    .datetime()
    .refine((text) => Date.parse(text) >= 0, 'Send a moment after 1970.')
    .optional(),
  /** Only those that are left out of exports and counts, or none of them; all of them, when absent. */
  excluded: z.enum(['only', 'none']).optional(),
  /** Looked for in reason, note and preview, whatever its case. */
  text: plainText(100).trim().min(1).optional(),
});
export type LearningFilter = z.infer<typeof learningFilter>;
