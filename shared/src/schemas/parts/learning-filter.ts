// The filter of the learnings, in the page URL and in queries: every field narrows.
import { z } from 'zod';
import { plainText } from './plain-text.ts';
import { overrideAction } from './enums.ts';

export const learningFilter = z.object({
  action: overrideAction.optional(),
  /** As submitted. */
  flag: plainText(100).optional(),
  model: plainText(200).optional(),
  source: plainText(200).optional(),
  /** Decided at or after this time. */
  since: z.iso
    .datetime()
    .refine((text) => Date.parse(text) >= 0, 'Send a time after 1970.')
    .optional(),
  /** Only those that are excluded from exports and counts, or none of them; all when absent. */
  excluded: z.enum(['only', 'none']).optional(),
  /** Searched in reason, note, response, title and preview, case-insensitively. */
  text: plainText(100).trim().min(1).optional(),
});
export type LearningFilter = z.infer<typeof learningFilter>;
