// When a rule of a notification last spoke (NO2).
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';

const NotificationRuleSchema = defineEntity({
  name: 'NotificationRule',
  tableName: 'notification_rule',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    /** The digest of kind and URL: the rule of an unchanged target does not speak again because the setting was saved. */
    target: p.text().primary(),
    rule: p.text().primary(),
    spokeAt: p.datetime(3),
    /** The message in which it did; null for one of an earlier version. A process of that version raises `spokeAt` alone. */
    messageId: p.uuid().nullable(),
    /** Since when that message counts passed deadlines; null for other rules. */
    countedFrom: p.datetime(3).nullable(),
  },
});
export class NotificationRule extends NotificationRuleSchema.class {}
NotificationRuleSchema.setClass(NotificationRule);
