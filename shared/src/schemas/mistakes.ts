// Reported mistakes in final decisions, their answers (MR), and a person's own figures of today (OF1).
import { z } from 'zod';
import { MISTAKE_STATES } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { timestamp, uuid } from './parts/ids.ts';
import { abilitiesTo, reviewerDecision } from './parts/enums.ts';
import { isTimeZone } from '../time-zone.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { queryInteger } from './parts/query-number.ts';

/** A report. `overturned` is null until it is answered; then it says whether the decision was a mistake (MR3). */
export const mistakeReport = z
  .object({
    item_id: uuid,
    project_id: uuid,
    project_name: z.string(),
    /** The beginning of the item's input; empty after it was redacted (KE2). */
    preview: z.string(),
    title: z.string().nullable(),
    action: reviewerDecision,
    reason: z.string().nullable(),
    decided_by: z.string(),
    decided_at: timestamp,
    reported_by: z.string(),
    reported_at: timestamp,
    note: z.string().nullable(),
    overturned: z.boolean().nullable(),
    answered_by: z.string().nullable(),
    answered_at: timestamp.nullable(),
    abilities: abilitiesTo('overturn', 'uphold'),
  })
  .meta({ id: 'MistakeReport' });
export type MistakeReport = z.infer<typeof mistakeReport>;

export const listMistakes = endpointSchemas({
  auth: 'session',
  summary: 'Reported mistakes of the projects in which you may answer them, newest report first',
  query: z.object({
    state: z.enum(MISTAKE_STATES).default('open'),
    after: z.string().max(200).optional(),
    limit: queryInteger(1, 100).prefault(50),
  }),
  reply: z.object({ data: z.array(mistakeReport), next_cursor: z.string().nullable() }),
});

const params = z.object({ id: uuid });

/** `report` is null when there is none, and for people who may not see it (MR2). */
export const mistakeOfItem = z.object({ report: mistakeReport.nullable(), abilities: abilitiesTo('report') });
export type MistakeOfItem = z.infer<typeof mistakeOfItem>;

export const readMistake = endpointSchemas({
  auth: 'session',
  summary: 'The reported mistake of an item, and whether you may report one',
  params,
  reply: mistakeOfItem,
});

export const reportMistake = endpointSchemas({
  auth: 'session',
  summary:
    'Report a mistake in a final decision to the supervisors; while it is open, a second report replaces your note',
  params,
  body: z.strictObject({ note: z.string().trim().max(LIMITS.noteLength).optional() }).optional(),
  reply: mistakeOfItem,
  errors: ['validation_failed'],
});

export const answerMistake = endpointSchemas({
  auth: 'session',
  summary: 'Answer a reported mistake: overturn the decision or uphold it; the decision that was sent does not change',
  params,
  body: z.strictObject({ overturned: z.boolean() }),
  reply: mistakeOfItem,
  errors: ['validation_failed'],
});

/**
 * Your own decisions in all your projects: since midnight in the time zone of the request, in the last 60 minutes, and in the last
 * 30 days, of which `overturned` were mistakes (MR3).
 */
export const ownFigures = z
  .object({
    today: z.object({ decided: z.number().int(), by_action: z.record(reviewerDecision, z.number().int()) }),
    last_hour: z.number().int(),
    last_30_days: z.object({ decided: z.number().int(), overturned: z.number().int() }),
  })
  .meta({ id: 'OwnFigures' });
export type OwnFigures = z.infer<typeof ownFigures>;

export const readOwnFigures = endpointSchemas({
  auth: 'session',
  summary: 'Your own decisions today, in the last hour, and how many of the last 30 days were overturned',
  query: z.object({
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'Must be an IANA time zone name, such as Europe/Berlin.')
      .default('UTC'),
  }),
  reply: ownFigures,
});
