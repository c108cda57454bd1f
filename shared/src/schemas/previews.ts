// Previews, of which nothing is stored: what a submission would become, and whom `skills` would reserve items for.
import { z } from 'zod';
import { routing } from './parts/decision.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { itemStatus } from './parts/enums.ts';
import { uuid } from './parts/ids.ts';
import { itemDetail } from './parts/item.ts';
import { inboundSubmission } from './inbound.ts';
import { projectSettings } from './projects.ts';

/** `item` is the item as a reviewer would open it (AU3); `status` and `routing` are what owners see of its arrival. */
export const itemPreview = z.object({ status: itemStatus, routing, item: itemDetail }).meta({ id: 'ItemPreview' });
export type ItemPreview = z.infer<typeof itemPreview>;

export const previewItem = endpointSchemas({
  auth: 'session',
  summary: 'What a submission would become, and what reviewers would see of it; nothing is stored; for owners',
  params: z.object({ id: uuid }),
  body: inboundSubmission,
  reply: itemPreview,
  errors: ['project_mismatch', 'schema_invalid'],
});

const count = z.number().int().min(0);

export const skillForecast = z
  .object({
    items: count.describe(
      'How many of the newest 1,000 items of the project were counted: redacted ones are not, nor older ones where metadata is long.',
    ),
    queued: count.describe('How many of them these rules would have queued.'),
    entries: z
      .array(
        z.object({
          reserved: count.describe('How many items would have been reserved for its people.'),
          early: count.describe('How many of them for less than its `after_minutes`, because of their deadlines.'),
          people: z.array(uuid).describe('Its people who are members and not blocked. With none it reserves nothing.'),
        }),
      )
      .describe('One for each entry of `skills`, in order.'),
  })
  .meta({ id: 'SkillForecast' });
export type SkillForecast = z.infer<typeof skillForecast>;

const { skills, auto_threshold, review_threshold, below_review, escalate_flags } = projectSettings.shape;

export const forecastSkills = endpointSchemas({
  auth: 'session',
  summary:
    'Whom these settings would have reserved the newest items for; nothing is stored; for supervisors and owners',
  params: z.object({ id: uuid }),
  body: z.strictObject({ skills, auto_threshold, review_threshold, below_review, escalate_flags }),
  reply: skillForecast,
});
