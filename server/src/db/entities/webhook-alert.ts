// One alert for the owners of a project: about its webhook (WH6) or its automatic decisions (AU5).
import { defineEntity, p } from '@mikro-orm/core';
import { ALERT_KINDS } from '@countersign/shared/enums';
import { topicOf } from '../alert-topic.ts';
import { Project } from './project.ts';

const WebhookAlertSchema = defineEntity({
  name: 'WebhookAlert',
  tableName: 'webhook_alert',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    kind: p.enum(ALERT_KINDS),
    /** The endpoint (WH12); null: the one of the settings, or an alert that is not about a webhook. */
    endpointId: p.uuid().nullable(),
    /** The delivery of the attempt; null for an alert that is not about a webhook. */
    deliveryId: p.uuid().nullable(),
    /** The attempts of that delivery since its last replay. */
    attempts: p.integer().nullable(),
    httpStatus: p.integer().nullable(),
    error: p.text().nullable(),
    /** Unique within a project. */
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'webhook_alert_newest', properties: ['projectId', 'createdAt'] },
    {
      name: 'webhook_alert_of_topic',
      expression: `create index "webhook_alert_of_topic" on "webhook_alert" ("project_id", (${topicOf('webhook_alert')}), "created_at")`,
    },
  ],
});
export class WebhookAlert extends WebhookAlertSchema.class {}
WebhookAlertSchema.setClass(WebhookAlert);
