// One thing the owners of a project were told: of its webhook (WH6), or of its automatic answers (AU5).
import { defineEntity, p } from '@mikro-orm/core';
import { ALERT_KINDS } from '@countersign/shared/enums';
import { Project } from './project.ts';

const WebhookAlertSchema = defineEntity({
  name: 'WebhookAlert',
  tableName: 'webhook_alert',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    kind: p.enum(ALERT_KINDS),
    /** The delivery whose attempt it was; null of what is no webhook's. */
    deliveryId: p.uuid().nullable(),
    /** How many attempts that one had, since it was last sent again. */
    attempts: p.integer().nullable(),
    httpStatus: p.integer().nullable(),
    error: p.text().nullable(),
    /** No two of a project have the same. */
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'webhook_alert_newest', properties: ['projectId', 'createdAt'] }],
});
export class WebhookAlert extends WebhookAlertSchema.class {}
WebhookAlertSchema.setClass(WebhookAlert);
