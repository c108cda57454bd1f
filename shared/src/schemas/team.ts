// The live team view and the stop switch: claims and their age, when the queue will be empty, and manual mode.
import { z } from 'zod';
import { DRAIN_STATES, OPEN_STATUSES } from '../enums.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { role } from './parts/enums.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { project } from './projects.ts';

const params = z.object({ id: uuid });
const total = z.number().int();

export const stopProject = endpointSchemas({
  auth: 'session',
  summary: 'Turn on manual review: every new item goes to a reviewer, in every process',
  params,
  body: z.strictObject({ note: z.string().trim().min(1).max(200).optional() }).optional(),
  reply: project,
});

export const releaseProject = endpointSchemas({
  auth: 'session',
  summary: 'Turn off manual review: routing decides again',
  params,
  reply: project,
});

/** A claimed item. `since` is when it was claimed, regardless of renewals; `expires_at` is the end of the lease. */
export const holding = z.object({
  item_id: uuid,
  preview: z.string(),
  title: z.string().nullable(),
  status: z.enum(OPEN_STATUSES),
  since: timestamp,
  expires_at: timestamp,
});
export type Holding = z.infer<typeof holding>;

/** A member in the live team view. Null means unknown: nothing was decided in the window. */
export const teamMember = z.object({
  user_id: uuid,
  name: z.string(),
  role,
  /** Longest held first. */
  holding: z.array(holding),
  /** In the last 24 hours. */
  last_decided_at: timestamp.nullable(),
  decided_last_hour: total,
  /** Median time of their latest decisions (FL1). */
  median_seconds: z.number().nullable(),
});
export type TeamMember = z.infer<typeof teamMember>;

/** Items sent to human review, and human decisions, in the last `minutes`. */
export const flow = z.object({ minutes: z.union([z.literal(15), z.literal(60)]), arrived: total, decided: total });
export type Flow = z.infer<typeof flow>;

/**
 * When the queue will be empty at the pace of the last `minutes` (FL4). `seconds` is null whenever `state` says that it
 * cannot be estimated.
 */
export const drain = z.object({
  state: z.enum(DRAIN_STATES),
  seconds: z.number().nullable(),
  minutes: z.union([z.literal(15), z.literal(60)]).nullable(),
});
export type Drain = z.infer<typeof drain>;

export const teamView = z
  .object({
    server_time: timestamp,
    waiting: z.object({ queued: total, escalated: total }),
    flow: z.array(flow),
    drain,
    /** What routing decided automatically in the last hour (AN34); `audited` of those it approved are reviewed as well. */
    automatic_last_hour: z.object({ arrived: total, approved: total, rejected: total, audited: total }),
    /** Over the latest `n` decisions of all members. */
    median: z.object({ seconds: z.number().nullable(), n: total }),
    /** A member who holds an item longer than this is stuck (FL2). */
    stuck_after_seconds: z.number(),
    /** A member who is present, holds nothing and has decided nothing for this long is idle (FL3). */
    idle_after_seconds: z.number(),
    /** Every member, sorted by name. */
    people: z.array(teamMember),
    /** Claimed items that the list omits. */
    more_held: total,
  })
  .meta({ id: 'TeamView' });
export type TeamView = z.infer<typeof teamView>;

export const readTeamView = endpointSchemas({
  auth: 'session',
  summary: 'Who has claimed what and for how long, the pace, and when the queue will be empty',
  params,
  reply: teamView,
});

const share = z.object({ low: z.number(), high: z.number() }).nullable();
/** `interval` is Wilson's at 95 % (AN20); null when there are none. */
const judged = z.object({ decided: total, overridden: total, interval: share });
const paceOf = z.object({ n: total, seconds: z.number().nullable() });

/** What one member did in a project (PF1). */
export const personFigures = z
  .object({
    from: timestamp,
    to: timestamp,
    server_time: timestamp,
    /** IANA name of the zone that defines days and hours. */
    time_zone: z.string(),
    user_id: uuid,
    name: z.string(),
    role,
    /** Items they hold now. */
    holding: total,
    /** Decisions and verdicts, and those of them that changed or rejected the suggestion. */
    ...judged.shape,
    /** Escalations and returns. */
    moved: total,
    claimed: total,
    /** Their decisions that a supervisor found wrong, among those of the last 30 days (OF1). */
    overturned: total,
    /** Median time of their newest decisions (FL1). */
    pace: paceOf,
    /** Per day of the window, in order. */
    days: z.array(z.object({ at: timestamp, decided: total, overridden: total })),
    /** Decisions by hour of the day, from 0 to 23. */
    hours: z.array(total).length(24),
    /**
     * Auto-approved items that they reviewed without knowing it; `overridden`: they disagreed. Null for a viewer who may
     * not see analytics: a count that moves would tell which item was an audit (AU3).
     */
    audits: judged.nullable(),
    /** The same figures of all members together, to compare with; null as `audits`. */
    team: z.object({ ...judged.shape, pace: paceOf, audits: judged }).nullable(),
  })
  .meta({ id: 'PersonFigures' });
export type PersonFigures = z.infer<typeof personFigures>;

export const readPerson = endpointSchemas({
  auth: 'session',
  summary: 'What one member did in a window (default: the last 30 days); reviewers may read their own',
  params: z.object({ id: uuid, user_id: uuid }),
  query: z.object({ from: z.iso.datetime().optional(), to: z.iso.datetime().optional() }),
  reply: personFigures,
});
