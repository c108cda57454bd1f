// How far a project has come on its way to a first decision: what the first steps of its owner are ticked by.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { decisionAction, itemStatus } from '../enums.ts';
import { endpoint } from './endpoint.ts';

/** The first of each kind, null as long as there was none. */
export const onboarding = z
  .object({
    created_at: timestamp,
    /** The project's first key, revoked or not; also null for members who may not see keys. */
    key: z.object({ at: timestamp, name: z.string(), last4: z.string() }).nullable(),
    item: z.object({ at: timestamp, preview: z.string(), status: itemStatus }).nullable(),
    /** By a person; an automatic decision is none. */
    decision: z.object({ at: timestamp, action: decisionAction, name: z.string() }).nullable(),
    /** Answered 2xx by the project's endpoint. */
    webhook: z.object({ at: timestamp, http_status: z.number().int().nullable() }).nullable(),
    /** Of what is null: whether there was one all the same, which is kept no longer (KE4). */
    gone: z.object({ item: z.boolean(), decision: z.boolean(), webhook: z.boolean() }),
  })
  .meta({ id: 'Onboarding' });
export type Onboarding = z.infer<typeof onboarding>;

export const readOnboarding = endpoint({
  method: 'GET',
  path: '/api/projects/:id/onboarding',
  auth: 'session',
  summary: 'The first key, item, decision and webhook of a project',
  params: z.object({ id: uuid }),
  reply: onboarding,
});
