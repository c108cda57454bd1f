// Up to when a user has seen the alerts of a project about one topic (WH6).
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';
import { User } from './user.ts';

const AlertSeenSchema = defineEntity({
  name: 'AlertSeen',
  tableName: 'alert_seen',
  properties: {
    /** Deleted with the project: the version before, after a rollback, deletes projects without knowing this table. */
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary().deleteRule('cascade'),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary(),
    /** The ID of an endpoint or `budget` (`db/alert-topic.ts`). */
    topic: p.text().primary(),
    /** When the last alert that they dismissed was made. */
    until: p.datetime(3),
  },
});
export class AlertSeen extends AlertSeenSchema.class {}
AlertSeenSchema.setClass(AlertSeen);
