// One webhook event to be delivered to one endpoint of the project. The row is both log entry and job (decision 0004).
import { defineEntity, p } from '@mikro-orm/core';
import { DELIVERY_STATUSES } from '@countersign/shared/enums';
import { Item } from './item.ts';
import { Project } from './project.ts';

const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    itemId: () => p.manyToOne(Item).mapToPk().fieldName('item_id'),
    /** Null: the one of the project's settings, whose ID is that of the project. */
    endpointId: p.uuid().nullable(),
    /** `evt_<event id>`: the same on every retry and replay, and at every endpoint. */
    webhookId: p.text(),
    /** Orders the deliveries of one item. */
    seq: p.bigint('number'),
    /** The body, identical on every attempt (invariant I5). */
    body: p.text(),
    status: p.enum(DELIVERY_STATUSES),
    attempt: p.integer(),
    /**
     * How many attempts the schedule does not count: those before the last replay, and those that our own proxy lost
     * since (WH7).
     */
    scheduleFrom: p.integer().default(0),
    nextAttemptAt: p.datetime(3).nullable(),
    leaseUntil: p.datetime(3).nullable(),
    claimToken: p.uuid().nullable(),
    httpStatus: p.integer().nullable(),
    error: p.text().nullable(),
    createdAt: p.datetime(3),
    completedAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'delivery_of_event',
      expression: `create unique index "delivery_of_event" on "delivery" ("webhook_id", coalesce("endpoint_id", "project_id"))`,
    },
    {
      name: 'delivery_of_endpoint',
      expression: `create index "delivery_of_endpoint" on "delivery" ("endpoint_id", "created_at", "id") where "endpoint_id" is not null`,
    },
    {
      name: 'delivery_attempted',
      expression: `create index "delivery_attempted" on "delivery" (coalesce("endpoint_id", "project_id"), "created_at", "id") where "attempt" > 0`,
    },
    {
      name: 'delivery_dead',
      expression: `create index "delivery_dead" on "delivery" (coalesce("endpoint_id", "project_id"), "id") where "status" = 'dead'`,
    },
    {
      name: 'delivery_due_of_endpoint',
      expression: `create index "delivery_due_of_endpoint" on "delivery" (coalesce("endpoint_id", "project_id"), "next_attempt_at") where "status" in ('pending', 'sending')`,
    },
    {
      name: 'delivery_retrying',
      expression: `create index "delivery_retrying" on "delivery" ("project_id", "created_at") where "attempt" > 1 and "status" in ('pending', 'sending')`,
    },
    { name: 'delivery_of_item', properties: ['itemId'] },
    { name: 'delivery_by_status', properties: ['projectId', 'status', 'createdAt', 'id'] },
    { name: 'delivery_newest', properties: ['projectId', 'createdAt', 'id'] },
    { name: 'delivery_by_code', properties: ['projectId', 'httpStatus', 'createdAt', 'id'] },
    {
      name: 'delivery_failed',
      expression: `create index "delivery_failed" on "delivery" ("project_id", "created_at", "id") where "error" is not null`,
    },
  ],
});
export class Delivery extends DeliverySchema.class {}
DeliverySchema.setClass(Delivery);
