// The request and the response of a rotation of a webhook secret.
import { z } from 'zod';
import { OVERLAP_HOURS } from '../../limits.ts';
import { timestamp } from './ids.ts';

export const rotation = z.strictObject({
  /** How long both secrets sign: before the new one is promoted, and as long after. */
  overlap_hours: z.number().int().min(OVERLAP_HOURS.least).max(OVERLAP_HOURS.most).default(OVERLAP_HOURS.usual),
});

export const rotated = z.object({
  webhook_secret: z.string(),
  /** `current`: signs from now on. `next`: signs the secondary header until it is promoted. */
  phase: z.enum(['current', 'next']),
  promote_at: timestamp.nullable(),
});
