// The live queue: lists, claims and decisions (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { QUEUE_VIEWS } from '../enums.ts';
import { HISTORY_EVENTS, LIMITS, MAX_BULK_CLAIMS, URL_LENGTH } from '../limits.ts';
import { domainEvent } from './parts/events.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { itemDetail, itemRow } from './parts/item.ts';
import { json } from './parts/json.ts';
import { plainText } from './parts/plain-text.ts';
import { queueFilter } from './parts/queue-filter.ts';
import { itemStatus, reviewAction, role } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { queryInteger } from './parts/query-number.ts';
import { REVISION_ACTIONS } from '../review-actions.ts';
import { QUEUE_SORTS } from '../filters/queue-order.ts';

const itemParams = z.object({ id: uuid });
const projectParams = z.object({ id: uuid });
const fence = z.number().int().min(1);

/**
 * A page of a queue view, in the order of its `sort` (QU25): oldest due first (LC3) unless another was requested. Without
 * `project_id` it covers all your projects. Rows match the filter of the request, `counts` are those of the unfiltered
 * views. A filtered page may be short and still have a next page; a cursor continues only the sort that it came from.
 * `until` is the last position that the rows cover, with all that sorts compare, null without a next page. `seqs`
 * contains for each project the event log position that its rows reflect at least; `seq` is the one of the requested
 * project.
 */
export const queuePage = z.object({
  data: z.array(itemRow),
  next_cursor: z.string().nullable(),
  until: itemRow.pick({ id: true, due_at: true, created_at: true, confidence: true, risk_flags: true }).nullable(),
  seq: z.number().int().nullable(),
  seqs: z.record(z.string(), z.number().int()),
  counts: z.object({ available: z.number(), mine: z.number(), escalated: z.number(), all: z.number() }),
  server_time: timestamp,
});
export type QueuePage = z.infer<typeof queuePage>;

export const listQueue = endpointSchemas({
  auth: 'session',
  summary: 'A snapshot of the queue: one page of a view, in the order of a sort',
  query: queueFilter.extend({
    project_id: uuid.optional(),
    view: z.enum(QUEUE_VIEWS).default('available'),
    sort: z.enum(QUEUE_SORTS).default('due'),
    // A flag of 100 characters is part of the cursor.
    after: z.string().max(1200).optional(),
    limit: queryInteger(1, 500).prefault(100),
  }),
  reply: queuePage,
});

export const granted = z.object({ item: itemDetail, fence, expires_at: timestamp }).meta({ id: 'Granted' });
export type Granted = z.infer<typeof granted>;

export const claimNext = endpointSchemas({
  auth: 'session',
  summary: 'Claim your next item, chosen by the server; 204 when there is none',
  body: z.strictObject({ project_id: uuid.optional() }).optional(),
  reply: granted.optional(),
});

/** An item of a bulk claim, as its list row: a hundred full contents would be megabytes that nobody reads. */
const bulkGranted = z.object({ item: itemRow, fence, expires_at: timestamp }).meta({ id: 'BulkGranted' });
export type BulkGranted = z.infer<typeof bulkGranted>;

export const claimBulk = endpointSchemas({
  auth: 'session',
  summary: 'Claim several items of one project, all or none; for supervisors and owners',
  body: z.strictObject({ project_id: uuid, item_ids: z.array(uuid).min(1).max(MAX_BULK_CLAIMS) }),
  reply: z.object({ data: z.array(bulkGranted) }),
});

export const readQueueItem = endpointSchemas({
  auth: 'session',
  summary: 'One item with its full content',
  params: itemParams,
  reply: itemDetail,
});

export const readHistory = endpointSchemas({
  auth: 'session',
  summary: `The event history of this item: its last ${HISTORY_EVENTS} events, oldest first; next_cursor leads to earlier ones`,
  params: itemParams,
  query: z.object({ after: z.string().max(200).optional() }),
  reply: z.object({ data: z.array(domainEvent), next_cursor: z.string().nullable() }),
});

/** The media of an item, streamed. `range` is the request header. */
export const readMedia = endpointSchemas({
  auth: 'session',
  summary: 'A picture, sound, video or PDF that this item links to, fetched from a media host of its project',
  params: itemParams,
  query: z.object({ url: z.string().max(URL_LENGTH) }),
  /** The bytes of the file, streamed. */
  reply: z.string(),
  errors: ['media_refused', 'media_unavailable'],
});

export const claimItem = endpointSchemas({
  auth: 'session',
  summary: 'Claim an item; claiming an item you hold renews the claim',
  params: itemParams,
  body: z.strictObject({}).optional(),
  reply: granted,
});

export const renewClaim = endpointSchemas({
  auth: 'session',
  summary: 'Heartbeat: renew your claim for another lease',
  params: itemParams,
  body: z.strictObject({ fence }),
  reply: granted,
});

export const releaseClaim = endpointSchemas({
  auth: 'session',
  summary: 'Release your claim',
  status: 204,
  params: itemParams,
  body: z.strictObject({ fence }),
});

export const takeOver = endpointSchemas({
  auth: 'session',
  summary: 'Take over an item that someone else has claimed; for supervisors and owners',
  params: itemParams,
  body: z.strictObject({}).optional(),
  reply: granted,
});

export const decideItem = endpointSchemas({
  auth: 'session',
  summary: 'Decide the item you have claimed',
  params: itemParams,
  body: z.strictObject({
    fence,
    action: reviewAction,
    output: json.optional(),
    reason: z.string().trim().min(1).max(LIMITS.reasonLength).optional(),
    note: z.string().trim().max(LIMITS.noteLength).optional(),
    /** For `respond`: the answer in words. */
    response: z.string().max(LIMITS.responseLength).regex(/\S/u, 'A response has a visible character.').optional(),
  }),
  reply: itemDetail,
  errors: ['answer_invalid'],
});

export const undoDecision = endpointSchemas({
  auth: 'session',
  summary: 'Undo your decision while it is provisional',
  params: itemParams,
  /** `undo_until` of the decision that is meant: a request that arrives late never undoes a later one. */
  body: z.strictObject({ undo_until: timestamp.optional() }).optional(),
  reply: itemDetail,
});

export const reopenItem = endpointSchemas({
  auth: 'session',
  summary: 'Queue an item that routing rejected; for supervisors and owners',
  params: itemParams,
  body: z.strictObject({ reason: z.string().trim().min(1).max(LIMITS.reasonLength).optional() }).optional(),
  reply: itemDetail,
});

export const reviseItem = endpointSchemas({
  auth: 'session',
  summary: 'Revise the final decision on an item; for supervisors and owners',
  params: itemParams,
  body: z.strictObject({
    action: z.enum(REVISION_ACTIONS),
    /** For `edit`: the output that replaces the one before. */
    output: json.optional(),
    reason: z.string().trim().min(1).max(LIMITS.reasonLength),
    note: z.string().trim().max(LIMITS.noteLength).optional(),
    /** The ID of the decision that is meant, null for none: refused when it is not the newest any more. */
    revises: uuid.nullable().optional(),
  }),
  reply: itemDetail,
  errors: ['answer_invalid', 'already_revised', 'unchanged_edit'],
});

export const extendDeadline = endpointSchemas({
  auth: 'session',
  summary: 'Extend the deadline of an open item, once; for supervisors and owners (DL5)',
  params: itemParams,
  body: z.strictObject({
    /** Added to the deadline. */
    seconds: z.number().int().min(LIMITS.deadlineSeconds.least).max(LIMITS.deadlineSeconds.most),
  }),
  reply: itemDetail,
});

const foundItem = z.object({
  id: uuid,
  project_id: uuid,
  status: itemStatus,
  preview: z.string(),
  title: z.string().nullable(),
  created_at: timestamp,
});
const foundPerson = z.object({ user_id: uuid, project_id: uuid, name: z.string(), role });
export type FoundItem = z.infer<typeof foundItem>;
export type FoundPerson = z.infer<typeof foundPerson>;

/**
 * `complete` is false when older items were not examined: each project is searched from its newest item on, up to a limit
 * for all of them.
 */
export const searchResults = z.object({
  items: z.array(foundItem),
  people: z.array(foundPerson),
  complete: z.boolean(),
});
export type SearchResults = z.infer<typeof searchResults>;

export const search = endpointSchemas({
  auth: 'session',
  summary: 'Items of your projects by an ID or by words of their preview in any status, and people by name or wallet',
  query: z.object({ q: plainText(100).trim().min(1) }),
  reply: searchResults,
});

const expiredItem = z.object({
  id: uuid,
  project_id: uuid,
  status: itemStatus,
  preview: z.string(),
  title: z.string().nullable(),
  expired_at: timestamp,
});
export type ExpiredItem = z.infer<typeof expiredItem>;

export const listExpiredItems = endpointSchemas({
  auth: 'session',
  summary: 'Items of a project that their deadline ended, the latest first (DL1)',
  params: projectParams,
  query: z.object({
    after: z.string().max(200).optional(),
    limit: queryInteger(1, 100).prefault(20),
  }),
  reply: z.object({ data: z.array(expiredItem), next_cursor: z.string().nullable() }),
  errors: ['invalid_cursor'],
});

const similarItem = z.object({
  id: uuid,
  preview: z.string(),
  title: z.string().nullable(),
  /** Their suggestions are equal, to the byte. */
  same_suggestion: z.boolean(),
});
/** Waiting items that nobody else has claimed, the most alike first. `more`: there are others. */
export const similarItems = z.object({ items: z.array(similarItem), more: z.boolean() });
export type SimilarItems = z.infer<typeof similarItems>;

export const listSimilar = endpointSchemas({
  auth: 'session',
  summary: 'Waiting items of the same project that you may decide and whose preview is nearly the same',
  params: itemParams,
  reply: similarItems,
});
