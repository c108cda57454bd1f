// The circuit of a notification's target (NO5): recent failures, and until when it gets no attempts.
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';

const NotificationTargetSchema = defineEntity({
  name: 'NotificationTarget',
  tableName: 'notification_target',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    /** The digest of kind and URL. */
    target: p.text().primary(),
    /** Consecutive attempts that reached no working receiver. */
    failures: p.integer().default(0),
    /** How often the circuit opened since the target last responded. */
    openings: p.integer().default(0),
    /** Until when the circuit is open; null while it is closed. */
    openUntil: p.datetime(3).nullable(),
  },
});
export class NotificationTarget extends NotificationTargetSchema.class {}
NotificationTargetSchema.setClass(NotificationTarget);
