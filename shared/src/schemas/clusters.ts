// Clusters of reasons, and how supervisors organize them (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { TREND_DAYS, MAX_CLUSTERS, REASONS_SHOWN } from '../limits.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { learningFilter } from './parts/learning-filter.ts';
import { plainText } from './parts/plain-text.ts';
import { abilitiesTo } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { queryInteger } from './parts/query-number.ts';

/** Reasons with the same meaning (rule CT). The counts cover the learnings that match the filter. */
export const cluster = z
  .object({
    id: uuid,
    /** Its own name, or its most common reason. */
    name: z.string(),
    /** A supervisor chose the name. */
    named: z.boolean(),
    /**
     * How many learnings count; `excluded` ones appear in no other figure here. A request for excluded learnings counts
     * those instead.
     */
    size: z.number().int(),
    excluded: z.number().int(),
    edited: z.number().int(),
    rejected: z.number().int(),
    first_seen: timestamp,
    last_seen: timestamp,
    /** Learnings per day in UTC, oldest first, today last. */
    trend: z.array(z.number().int()).length(TREND_DAYS),
    /** The most common flag; null when no learning has one. */
    top_flag: z.string().nullable(),
    top_model: z.string().nullable(),
    /** The number of distinct reasons, and the most common of them. */
    variant_count: z.number().int(),
    reasons: z.array(z.object({ reason: z.string(), count: z.number().int() })),
    /** Clusters that were merged into it and can be split off again unchanged. */
    merged: z.array(z.object({ id: uuid, name: z.string() })),
    abilities: abilitiesTo('rename', 'merge', 'split'),
  })
  .meta({ id: 'Cluster' });
export type Cluster = z.infer<typeof cluster>;

export const listClusters = endpointSchemas({
  auth: 'session',
  summary: 'Why reviewers override: reasons with the same meaning, largest cluster first, optionally filtered',
  params: z.object({ id: uuid }),
  query: learningFilter.extend({
    after: z.string().max(200).optional(),
    limit: queryInteger(1, MAX_CLUSTERS).prefault(100),
  }),
  reply: z.object({
    data: z.array(cluster),
    next_cursor: z.string().nullable(),
    /** How many learnings match, in all clusters and in none; of them, how many have no reason. */
    total: z.number().int(),
    without_reason: z.number().int(),
  }),
});

const oneOf = z.object({ id: uuid, cluster_id: uuid });
const name = plainText(100).trim().min(1);

/** One change per request. `rename` to null restores the name of the most common reason. */
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

export const changeCluster = endpointSchemas({
  auth: 'session',
  summary: 'Rename a cluster, merge it into another, split reasons off, or undo a merge',
  description:
    'Send `restore` to the merged cluster; it returns with its name and reasons, and with those that joined it since. A split creates a cluster of the named reasons. Later learnings join the cluster with the closest reason.',
  params: oneOf,
  body: clusterChange,
  /** The resulting cluster: the renamed one, the merge target, the new one, or the restored one. */
  reply: z.object({ id: uuid }),
});

export const readCluster = endpointSchemas({
  auth: 'session',
  summary: 'The name of a cluster, and the cluster that it was merged into, if any',
  params: oneOf,
  reply: z.object({ id: uuid, name: z.string(), merged_into: z.object({ id: uuid, name: z.string() }).nullable() }),
});

/** Learnings of a cluster among people's decisions; `interval` is Wilson's at 95 % (AN20), null without decisions. */
const clusterRate = z.object({
  from: timestamp,
  to: timestamp,
  learnings: z.number().int(),
  decided: z.number().int(),
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
});
export type ClusterRate = z.infer<typeof clusterRate>;

export const readClusterGuideline = endpointSchemas({
  auth: 'session',
  summary: 'Since when the guidelines name a cluster, and its rate before and after that',
  params: oneOf,
  reply: z
    .object({
      /** Null while no line names it (CT6). `version` is the settings version since which one does. */
      guideline: z.object({ version: z.number().int(), changed_at: timestamp, line: z.string() }).nullable(),
      /** As long as `after`; null where nothing came before. */
      before: clusterRate.nullable(),
      /** Since the guideline, at most the last 14 days. */
      after: clusterRate.nullable(),
    })
    .meta({ id: 'ClusterGuideline' }),
});
export type ClusterGuideline = z.infer<NonNullable<typeof readClusterGuideline.reply>>;

export const listReasonVariants = endpointSchemas({
  auth: 'session',
  summary: 'Every reason variant of a cluster, most common first, optionally filtered by text',
  params: oneOf,
  query: z.object({
    /** Searched in the reason, case-insensitively. */
    text: plainText(100).trim().min(1).optional(),
    after: z.string().max(200).optional(),
    limit: queryInteger(1, 100).prefault(REASONS_SHOWN),
  }),
  reply: z.object({
    data: z.array(z.object({ reason: z.string(), count: z.number().int() })),
    next_cursor: z.string().nullable(),
  }),
});
