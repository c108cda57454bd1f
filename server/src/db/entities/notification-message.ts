// A reminder to be sent to one target of a project (NO). The row is both log entry and job, like a delivery.
import { defineEntity, p } from '@mikro-orm/core';
import { NOTIFICATION_KINDS, NOTIFICATION_STATUSES } from '@countersign/shared/enums';
import { Project } from './project.ts';

const NotificationMessageSchema = defineEntity({
  name: 'NotificationMessage',
  tableName: 'notification_message',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    kind: p.enum(NOTIFICATION_KINDS),
    /** As it was when the message was written. */
    url: p.text(),
    /** The digest of kind and URL, by which its circuit is found. */
    target: p.text().default(''),
    body: p.text(),
    status: p.enum(NOTIFICATION_STATUSES),
    attempt: p.integer().default(0),
    /** The attempts that the schedule does not count: those before it was sent again, and those that our proxy lost. */
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
    { name: 'notification_message_newest', properties: ['projectId', 'createdAt', 'id'] },
    {
      name: 'notification_message_due',
      expression: `create index "notification_message_due" on "notification_message" ("next_attempt_at") where "status" in ('pending', 'sending')`,
    },
  ],
});
export class NotificationMessage extends NotificationMessageSchema.class {}
NotificationMessageSchema.setClass(NotificationMessage);
