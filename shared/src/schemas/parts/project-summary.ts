// The project summary that every list and page of projects shows.
import { z } from 'zod';
import { WEBHOOK_HEALTH } from '../../figures.ts';
import { timestamp, uuid } from './ids.ts';

/** The current activity of a project. `oldest_at` is when the oldest waiting item arrived. */
export const projectSummary = z.object({
  /** Items that wait (AN35), by status. */
  queued: z.number().int(),
  escalated: z.number().int(),
  /** Items with an active claim. */
  reviewing: z.number().int(),
  /** Who has claimed them, sorted by name: at most five of `reviewer_count` members. */
  reviewers: z.array(z.object({ user_id: uuid, name: z.string() })).max(5),
  reviewer_count: z.number().int(),
  oldest_at: timestamp.nullable(),
  /** The day is that of the project’s time zone (AN6). A revised decision is overridden as its newest action says (RV7). */
  decided_today: z.number().int(),
  overridden_today: z.number().int(),
  /** Items whose deadline ended them (DL1). */
  expired_today: z.number().int(),
  webhook: z.enum(WEBHOOK_HEALTH),
  /** Deliveries that wait after their second failed attempt (WH10), counted up to `COUNTED`. */
  retrying: z.number().int(),
});
