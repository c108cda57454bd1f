// The event log: one row per event; `seq` is null until it is assigned.
import { defineEntity, p } from '@mikro-orm/core';
import type { ActorRef } from '@countersign/shared/schemas/parts/events';
import { Project } from './project.ts';
import { OVERRIDE_ACTIONS } from '@countersign/shared/review-actions';
import { inList } from '../in-list.ts';

const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    position: p.bigint('number').primary().autoincrement(),
    id: p.uuid(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    seq: p.bigint('number').nullable(),
    /** As stored: `eventTypeOf` in domain/stored-names.ts gives the type of the event. */
    type: p.text(),
    itemId: p.uuid().nullable(),
    actor: p.json<ActorRef>(),
    /** The event's own fields, as listed in `shared/src/schemas/parts/events.ts`, without the common ones. */
    data: p.json<Record<string, unknown>>(),
    createdAt: p.datetime(3),
  },
  indexes: [
    {
      name: 'event_unstamped',
      expression: 'create index "event_unstamped" on "event" ("position") where "seq" is null',
    },
    {
      name: 'event_final_override',
      expression: `create index "event_final_override" on "event" ("project_id", "seq") where "type" in ('item.finalized', 'decision.revised') and "data" ->> 'action' in (${inList(OVERRIDE_ACTIONS)})`,
    },
    {
      name: 'event_of_learning',
      expression: `create index "event_of_learning" on "event" (("data" -> 'learning' ->> 'id'), "seq") where "type" = 'project.changed' and "data" -> 'learning' is not null`,
    },
    {
      name: 'event_reshaped',
      expression: `create index "event_reshaped" on "event" ("project_id", "seq") where "type" = 'project.changed' and "data" -> 'reshaped' is not null`,
    },
    { name: 'event_of_item', properties: ['itemId', 'position'] },
    {
      name: 'event_finalized',
      expression: `create index "event_finalized" on "event" ("project_id", "seq") where "type" = 'item.finalized' and "seq" is not null`,
    },
    {
      name: 'event_withdrawn',
      expression: `create index "event_withdrawn" on "event" ("project_id", "seq") where "type" = 'item.withdrawn' and "seq" is not null`,
    },
    {
      name: 'event_revised',
      expression: `create index "event_revised" on "event" ("project_id", "seq") where "type" = 'decision.revised' and "seq" is not null`,
    },
    {
      name: 'event_expired',
      expression: `create index "event_expired" on "event" ("project_id", "seq") where "type" = 'item.expired' and "seq" is not null`,
    },
  ],
  uniques: [{ name: 'event_seq', properties: ['projectId', 'seq'] }],
});
/** Rows are written by `appendEvent()` or by the statement that records attempts. */
export class Event extends EventSchema.class {}
EventSchema.setClass(Event);
