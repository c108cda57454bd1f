// The supervisors' floor and the stop switch: who holds what and for how long, when the queue is empty, and everything to people.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { OPEN_STATUSES, role } from '../enums.ts';
import { endpoint } from './endpoint.ts';
import { project } from './projects.ts';

const params = z.object({ id: uuid });
const total = z.number().int();

export const stopProject = endpoint({
  method: 'POST',
  path: '/api/projects/:id/stop',
  auth: 'session',
  summary: 'Send everything to people, in every process from now on, until it is released',
  params,
  body: z.strictObject({ note: z.string().trim().min(1).max(200).optional() }).optional(),
  reply: project,
});

export const releaseProject = endpoint({
  method: 'DELETE',
  path: '/api/projects/:id/stop',
  auth: 'session',
  summary: 'Let routing decide again',
  params,
  reply: project,
});

/** An item in somebody's hands. `since`: their claim of it, whatever was renewed; `expires_at`: the end of their lease. */
export const holding = z.object({
  item_id: uuid,
  preview: z.string(),
  status: z.enum(OPEN_STATUSES),
  since: timestamp,
  expires_at: timestamp,
});
export type Holding = z.infer<typeof holding>;

/** A member as the floor sees them. Null is what is not known: nothing was decided in the window. */
export const teamMember = z.object({
  user_id: uuid,
  name: z.string(),
  role,
  /** Longest held first. */
  holding: z.array(holding),
  /** In the last 24 hours. */
  last_decided_at: timestamp.nullable(),
  decided_last_hour: total,
  /** Half of their latest decisions took no longer (FL1). */
  median_seconds: z.number().nullable(),
});
export type TeamMember = z.infer<typeof teamMember>;

/** What came to people, and what they decided, in the last so many minutes. */
export const flow = z.object({ minutes: z.union([z.literal(15), z.literal(60)]), arrived: total, decided: total });
export type Flow = z.infer<typeof flow>;

export const DRAIN_STATES = ['empty', 'draining', 'standing', 'growing', 'too_few'] as const;

/** When the queue is empty at the pace of the last `minutes` (FL4). `seconds` is null whenever `word` says that it cannot be told. */
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
    /** What routing did in the last hour without anybody: what a stop would send to people (RT7). */
    automatic_last_hour: z.object({ arrived: total, approved: total, rejected: total }),
    /** Over the latest `n` decisions of everybody. */
    median: z.object({ seconds: z.number().nullable(), n: total }),
    /** Whoever holds an item longer is stuck (FL2). */
    stuck_after_seconds: z.number(),
    /** Whoever is there, holds nothing and has decided nothing for so long is idle (FL3). */
    idle_after_seconds: z.number(),
    /** Everybody in the pool, by name. */
    people: z.array(teamMember),
    /** Items in people's hands beyond those that are listed. */
    more_held: total,
  })
  .meta({ id: 'TeamView' });
export type TeamView = z.infer<typeof teamView>;

export const readTeamView = endpoint({
  method: 'GET',
  path: '/api/projects/:id/team',
  auth: 'session',
  summary: 'Who holds what and for how long, the pace, and when the queue will be empty',
  params,
  reply: teamView,
});
