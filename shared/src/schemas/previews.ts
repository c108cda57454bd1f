// The preview of an item: what a submission would become, and what reviewers would see of it. Nothing is stored.
import { z } from 'zod';
import { routing } from './parts/decision.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { itemStatus } from './parts/enums.ts';
import { uuid } from './parts/ids.ts';
import { itemDetail } from './parts/item.ts';
import { inboundSubmission } from './inbound.ts';

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
