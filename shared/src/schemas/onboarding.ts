// Onboarding progress of a project: the events that complete the first steps of its owner.
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { decisionAction, itemStatus } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';

/** The first of each kind; null while there is none. */
export const onboarding = z
  .object({
    created_at: timestamp,
    /** The first API key of the project, revoked or not; also null for members who may not see keys. */
    key: z.object({ at: timestamp, name: z.string(), last4: z.string() }).nullable(),
    item: z.object({ at: timestamp, preview: z.string(), status: itemStatus }).nullable(),
    /** By a reviewer; automatic decisions do not count. */
    decision: z.object({ at: timestamp, action: decisionAction, name: z.string() }).nullable(),
    /** The endpoint of the project responded with 2xx. */
    webhook: z.object({ at: timestamp, http_status: z.number().int().nullable() }).nullable(),
    /** For a null entry: whether there was one that retention has since deleted (KE4). */
    gone: z.object({ item: z.boolean(), decision: z.boolean(), webhook: z.boolean() }),
  })
  .meta({ id: 'Onboarding' });
export type Onboarding = z.infer<typeof onboarding>;

/**
 * What a project needs before production (ON1): there is an enabled endpoint, and each one last answered with 2xx and is not paused; somebody who reviews is a member or
 * invited; a threshold was chosen; and a valid key has a name that a person gave it.
 */
export const readiness = z.object({
  receiver: z.boolean(),
  reviewer: z.boolean(),
  thresholds: z.boolean(),
  key: z.boolean(),
  /** The caller hid the list. */
  hidden: z.boolean(),
});
export type Readiness = z.infer<typeof readiness>;

export const readReadiness = endpointSchemas({
  auth: 'session',
  summary: 'What a project still needs before production, for its owners',
  params: z.object({ id: uuid }),
  reply: readiness,
});

export const hideReadiness = endpointSchemas({
  auth: 'session',
  summary: 'Hide the list of what a project still needs before production, for yourself',
  status: 204,
  params: z.object({ id: uuid }),
});

export const readOnboarding = endpointSchemas({
  auth: 'session',
  summary: 'The first key, item, decision and webhook of a project',
  params: z.object({ id: uuid }),
  reply: onboarding,
});
