// Where a project's webhooks go and what signs them. Secrets are sealed with the key ring (K3).
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    state: p.enum(['active', 'paused'] as const),
    current: p.text(),
    next: p.text().nullable(),
    promoteAt: p.datetime(3).nullable(),
    previous: p.text().nullable(),
    previousUntil: p.datetime(3).nullable(),
    /** Has anyone ever been shown the current secret? Until then a rotation simply replaces it. */
    revealed: p.boolean(),
    /** Attempts in a row that met no living receiver. */
    failures: p.integer().default(0),
    /** How often it has been left alone since it last answered. */
    openings: p.integer().default(0),
    /** Until when it is left alone (WH5); null while it answers. */
    openUntil: p.datetime(3).nullable(),
    /** When owners were last told of an exhausted delivery (WH6). */
    alertedAt: p.datetime(3).nullable(),
    /** They were told of trouble, and not yet that it is over. */
    inTrouble: p.boolean().default(false),
  },
});
export class WebhookEndpoint extends WebhookEndpointSchema.class {}
WebhookEndpointSchema.setClass(WebhookEndpoint);
