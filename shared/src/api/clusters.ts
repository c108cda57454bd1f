// Clusters of reasons (docs/spec/dashboard-api.md): why people override, and how supervisors put it in order.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { learningFilter } from '../filters/learning-filter.ts';
import { plainText } from '../filters/queue-filter.ts';
import { abilitiesTo } from '../enums.ts';
import { endpoint } from './endpoint.ts';

/** Days that a trend goes back, today included. */
export const TREND_DAYS = 14;
/** One answer holds so many clusters at most. */
export const MAX_CLUSTERS = 200;
/** Of each cluster so many of its reasons are listed, the commonest first. */
export const REASONS_SHOWN = 50;

/** Reasons that mean the same (rule CT). Counts are of the learnings that answer the filter. */
export const cluster = z
  .object({
    id: uuid,
    /** Its own, or that of its commonest reason. */
    name: z.string(),
    /** A supervisor called it so. */
    named: z.boolean(),
    /** How many count; `excluded` are left out, and count in nothing else here. Asked for what is left out, those count. */
    size: z.number().int(),
    excluded: z.number().int(),
    edited: z.number().int(),
    rejected: z.number().int(),
    first_seen: timestamp,
    last_seen: timestamp,
    /** Learnings a day, UTC, the oldest first and today last. */
    trend: z.array(z.number().int()).length(TREND_DAYS),
    /** The commonest; null where no learning has one. */
    top_flag: z.string().nullable(),
    top_model: z.string().nullable(),
    /** How many different reasons there are, and the commonest of them. */
    variant_count: z.number().int(),
    reasons: z.array(z.object({ reason: z.string(), count: z.number().int() })),
    /** What was merged into it, and can be taken out again as it was. */
    merged: z.array(z.object({ id: uuid, name: z.string() })),
    abilities: abilitiesTo('rename', 'merge', 'split'),
  })
  .meta({ id: 'Cluster' });
export type Cluster = z.infer<typeof cluster>;

export const listClusters = endpoint({
  method: 'GET',
  path: '/api/projects/:id/clusters',
  auth: 'session',
  summary: 'Why people override: reasons that mean the same, the largest first; all of them, or what answers a filter',
  params: z.object({ id: uuid }),
  query: learningFilter.extend({
    after: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(MAX_CLUSTERS).default(100),
  }),
  reply: z.object({ data: z.array(cluster), next_cursor: z.string().nullable(), total: z.number().int() }),
});

const oneOf = z.object({ id: uuid, cluster_id: uuid });
const name = plainText(100).trim().min(1);

/** One thing at a time. `rename` to null gives it the name of its commonest reason again. */
export const clusterChange = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('rename'), name: name.nullable() }),
  z.strictObject({ action: z.literal('merge'), into: uuid }),
  z.strictObject({
    action: z.literal('split'),
    reasons: z.array(z.string().max(500)).min(1).max(200),
    name: name.optional(),
  }),
  z.strictObject({ action: z.literal('restore') }),
]);
export type ClusterChange = z.infer<typeof clusterChange>;

export const changeCluster = endpoint({
  method: 'PATCH',
  path: '/api/projects/:id/clusters/:cluster_id',
  auth: 'session',
  summary: 'Rename a cluster, merge it into another one, split reasons off, or take a merge back',
  description:
    '`restore` is asked of the cluster that was merged; it comes back with its name and reasons, and with what joined it meanwhile. A split makes a new cluster of the reasons that are named. What is learned later joins the cluster with the closest reason.',
  params: oneOf,
  body: clusterChange,
  /** The cluster that is there now: the renamed one, the one merged into, the new one, the restored one. */
  reply: z.object({ id: uuid }),
});

export const readCluster = endpoint({
  method: 'GET',
  path: '/api/projects/:id/clusters/:cluster_id',
  auth: 'session',
  summary: 'What a cluster is called, and which one it stands in when it was merged',
  params: oneOf,
  reply: z.object({ id: uuid, name: z.string(), merged_into: z.object({ id: uuid, name: z.string() }).nullable() }),
});

export const listReasonVariants = endpoint({
  method: 'GET',
  path: '/api/projects/:id/clusters/:cluster_id/variants',
  auth: 'session',
  summary: 'Every wording of a cluster, the commonest first; all of them, or those with some words',
  params: oneOf,
  query: z.object({
    /** Looked for in the wording, whatever its case. */
    text: plainText(100).trim().min(1).optional(),
    after: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(REASONS_SHOWN),
  }),
  reply: z.object({
    data: z.array(z.object({ reason: z.string(), count: z.number().int() })),
    next_cursor: z.string().nullable(),
  }),
});
