// A replay of many deliveries, in batches.
import { defineEntity, p } from '@mikro-orm/core';
import { REPLAY_STATES, REPLAYED_STATUSES } from '@countersign/shared/enums';
import { Project } from './project.ts';
import { User } from './user.ts';

const ReplaySchema = defineEntity({
  name: 'Replay',
  tableName: 'replay',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** Of this endpoint only; null: of all. */
    endpointId: p.uuid().nullable(),
    /** Which deliveries: with this status, created in this window, both ends inclusive. */
    status: p.enum(REPLAYED_STATUSES),
    fromAt: p.datetime(3).nullable(),
    toAt: p.datetime(3),
    state: p.enum(REPLAY_STATES),
    /** The number of deliveries when it began. */
    total: p.integer(),
    replayed: p.integer().default(0),
    /** The last processed delivery: the replay resumes from here after a crash. */
    cursorAt: p.datetime(3).nullable(),
    cursorId: p.uuid().nullable(),
    startedBy: () => p.manyToOne(User).mapToPk().fieldName('started_by').nullable().deleteRule('set null'),
    /** The name at that time: the event log names who started the replay. */
    startedByName: p.text(),
    createdAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'replay_newest', properties: ['projectId', 'createdAt'] },
    {
      name: 'replay_running',
      expression: `create index "replay_running" on "replay" ("created_at") where "state" = 'running'`,
    },
  ],
});
export class Replay extends ReplaySchema.class {}
ReplaySchema.setClass(Replay);
