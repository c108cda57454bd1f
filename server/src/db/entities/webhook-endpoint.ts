// A webhook endpoint of a project and its signing secrets, encrypted with the key ring (K3).
import type { DeliveredEvent } from '@countersign/shared/enums';
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';
import { TextArray } from './text-array.ts';

const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    /** The one of the project's settings has the ID of the project (WH12). */
    id: p.uuid().generated('(coalesce("endpoint_id", "project_id")) stored').primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').updateRule('cascade').deleteRule('cascade'),
    /** Null for the one of the project's settings, which have its URL and its events. */
    endpointId: p.uuid().nullable(),
    url: p.text().nullable(),
    description: p.text().default(''),
    /** Null for the one of the project's settings. */
    events: p.type(TextArray).$type<DeliveredEvent[]>().nullable(),
    /** A disabled endpoint gets no new deliveries, and what waits for it is not sent. */
    isEnabled: p.boolean().default(true),
    createdAt: p.datetime(3).defaultRaw('now()'),
    /** The `position` of the newest event when it was added. Null for the one of the settings, or added by an older version. */
    afterPosition: p.bigint('number').nullable(),
    /** Set when it is removed: it is hidden from then on, until what waited for it is cancelled. */
    removedAt: p.datetime(3).nullable(),
    state: p.enum(['active', 'paused'] as const),
    current: p.text(),
    next: p.text().nullable(),
    promoteAt: p.datetime(3).nullable(),
    previous: p.text().nullable(),
    previousUntil: p.datetime(3).nullable(),
    /** How long each phase of the last rotation lasts. */
    overlapHours: p.integer().default(24),
    /** Whether the current secret was ever shown to anyone. Until then a rotation simply replaces it. */
    revealed: p.boolean(),
    /** Consecutive attempts that reached no working receiver. */
    failures: p.integer().default(0),
    /** How often the circuit opened since the endpoint last responded. */
    openings: p.integer().default(0),
    /** Until when the circuit is open (WH5); null while it is closed. */
    openUntil: p.datetime(3).nullable(),
    /** When owners were last notified of an exhausted delivery (WH6). */
    alertedAt: p.datetime(3).nullable(),
    /** Owners were notified of trouble, but not yet of the recovery. */
    inTrouble: p.boolean().default(false),
  },
  indexes: [{ name: 'webhook_endpoint_of_project', properties: ['projectId'] }],
});
export class WebhookEndpoint extends WebhookEndpointSchema.class {}
WebhookEndpointSchema.setClass(WebhookEndpoint);
