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
  },
});
export class NotificationRule extends NotificationRuleSchema.class {}
NotificationRuleSchema.setClass(NotificationRule);
