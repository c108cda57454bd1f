// The live queue: lists, claims and decisions (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { domainEvent } from '../events.ts';
import { timestamp, uuid } from '../ids.ts';
import { itemDetail, itemRow } from '../item.ts';
import { json } from '../json/json.ts';
import { plainText, queueFilter } from '../filters/queue-filter.ts';
import { QUEUE_SORTS } from '../filters/queue-order.ts';
import { itemStatus, reviewAction, role } from '../enums.ts';
import { endpoint } from './endpoint.ts';

export const QUEUE_VIEWS = ['available', 'mine', 'escalated', 'all'] as const;
export type QueueView = (typeof QUEUE_VIEWS)[number];

const itemParams = z.object({ id: uuid });
const fence = z.number().int().min(1);

/** The limit up to which the view counts are exact; one more means "more than this". */
export const COUNT_LIMIT = 10_000;

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

export const listQueue = endpoint({
  method: 'GET',
  path: '/api/queue',
  auth: 'session',
  summary: 'A snapshot of the queue: one page of a view, in the order of a sort',
  query: queueFilter.extend({
    project_id: uuid.optional(),
    view: z.enum(QUEUE_VIEWS).default('available'),
    sort: z.enum(QUEUE_SORTS).default('due'),
    // A flag of 100 characters is part of the cursor.
    after: z.string().max(1200).optional(),
    limit: z.coerce.number().int().min(1).max(500).default(100),
  }),
  reply: queuePage,
});

export const granted = z.object({ item: itemDetail, fence, expires_at: timestamp }).meta({ id: 'Granted' });
export type Granted = z.infer<typeof granted>;

export const claimNext = endpoint({
  method: 'POST',
  path: '/api/queue/claim-next',
  auth: 'session',
  summary: 'Claim your next item, chosen by the server; 204 when there is none',
  body: z.strictObject({ project_id: uuid.optional() }).optional(),
  reply: granted.optional(),
});

/** Maximum number of events in one response of an item's history. */
export const HISTORY_EVENTS = 100;

/** Items that one person may claim at a time (LC4). Bulk claims count, but are not limited by it. */
export const MAX_CLAIMS = 3;
/** Maximum number of items in a bulk claim. */
export const MAX_BULK_CLAIMS = 100;

/** An item of a bulk claim, as its list row: a hundred full contents would be megabytes that nobody reads. */
const bulkGranted = z.object({ item: itemRow, fence, expires_at: timestamp }).meta({ id: 'BulkGranted' });
export type BulkGranted = z.infer<typeof bulkGranted>;

export const claimBulk = endpoint({
  method: 'POST',
  path: '/api/queue/bulk-claim',
  auth: 'session',
  summary: 'Claim several items of one project, all or none; for supervisors and owners',
  body: z.strictObject({ project_id: uuid, item_ids: z.array(uuid).min(1).max(MAX_BULK_CLAIMS) }),
  reply: z.object({ data: z.array(bulkGranted) }),
});

export const readQueueItem = endpoint({
  method: 'GET',
  path: '/api/items/:id',
  auth: 'session',
  summary: 'One item with its full content',
  params: itemParams,
  reply: itemDetail,
});

export const readHistory = endpoint({
  method: 'GET',
  path: '/api/items/:id/history',
  auth: 'session',
  summary: `The event history of this item: its last ${HISTORY_EVENTS} events, oldest first; next_cursor leads to earlier ones`,
  params: itemParams,
  query: z.object({ after: z.string().max(200).optional() }),
  reply: z.object({ data: z.array(domainEvent), next_cursor: z.string().nullable() }),
});

/** The media of an item, streamed. `range` is the request header. */
export const readMedia = endpoint({
  method: 'GET',
  path: '/api/items/:id/media',
  auth: 'session',
  summary: 'A picture, sound, video or PDF that this item links to, fetched from a media host of its project',
  params: itemParams,
  query: z.object({ url: z.string().max(2048) }),
  /** The bytes of the file, streamed. */
  reply: z.string(),
  errors: ['media_refused', 'media_unavailable'],
});

export const claimItem = endpoint({
  method: 'POST',
  path: '/api/items/:id/claim',
  auth: 'session',
  summary: 'Claim an item; claiming an item you hold renews the claim',
  params: itemParams,
  body: z.strictObject({}).optional(),
  reply: granted,
});

export const renewClaim = endpoint({
  method: 'POST',
  path: '/api/items/:id/claim/renew',
  auth: 'session',
  summary: 'Heartbeat: renew your claim for another lease',
  params: itemParams,
  body: z.strictObject({ fence }),
  reply: granted,
});

export const releaseClaim = endpoint({
  method: 'DELETE',
  path: '/api/items/:id/claim',
  auth: 'session',
  summary: 'Release your claim',
  status: 204,
  params: itemParams,
  body: z.strictObject({ fence }),
});

export const takeOver = endpoint({
  method: 'POST',
  path: '/api/items/:id/claim/take-over',
  auth: 'session',
  summary: 'Take over an item that someone else has claimed; for supervisors and owners',
  params: itemParams,
  body: z.strictObject({}).optional(),
  reply: granted,
});

export const decideItem = endpoint({
  method: 'POST',
  path: '/api/items/:id/decision',
  auth: 'session',
  summary: 'Decide the item you have claimed',
  params: itemParams,
  body: z.strictObject({
    fence,
    action: reviewAction,
    output: json.optional(),
    reason: z.string().trim().min(1).max(500).optional(),
    note: z.string().trim().max(4000).optional(),
  }),
  reply: itemDetail,
});

export const undoDecision = endpoint({
  method: 'POST',
  path: '/api/items/:id/decision/undo',
  auth: 'session',
  summary: 'Undo your decision while it is provisional',
  params: itemParams,
  body: z.strictObject({}).optional(),
  reply: itemDetail,
});

export const reopenItem = endpoint({
  method: 'POST',
  path: '/api/items/:id/reopen',
  auth: 'session',
  summary: 'Queue an item that routing rejected; for supervisors and owners',
  params: itemParams,
  body: z.strictObject({ reason: z.string().trim().min(1).max(500).optional() }).optional(),
  reply: itemDetail,
});

/** Maximum number of items, and of people, in one response. */
export const SEARCH_RESULTS = 20;

const foundItem = z.object({
  id: uuid,
  project_id: uuid,
  status: itemStatus,
  preview: z.string(),
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

export const search = endpoint({
  method: 'GET',
  path: '/api/search',
  auth: 'session',
  summary: 'Items of your projects by an ID or by words of their preview in any status, and people by name or wallet',
  query: z.object({ q: plainText(100).trim().min(1) }),
  reply: searchResults,
});
