// The endpoint of a delivery. No row is rewritten: null is the endpoint of the settings, as in `0042-endpoints`.
import { SchemaChange } from './schema-change.ts';

export class DeliveryEndpoints extends SchemaChange {
  override up(): void {
    this.addSql('alter table "delivery" add column "endpoint_id" uuid null');
  }
}

/** Deliveries are leased by endpoint, and each endpoint gets an event once. */
export class DeliveryEndpointIndexes extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "delivery_of_event"');
    this.addSql(
      'create unique index concurrently "delivery_of_event" on "delivery" ("webhook_id", coalesce("endpoint_id", "project_id"))',
    );
    this.addSql('drop index concurrently if exists "delivery_of_endpoint"');
    this.addSql(
      'create index concurrently "delivery_of_endpoint" on "delivery" ("endpoint_id", "created_at", "id") where "endpoint_id" is not null',
    );
    this.addSql('drop index concurrently if exists "delivery_due_of_endpoint"');
    this.addSql(
      `create index concurrently "delivery_due_of_endpoint" on "delivery" (coalesce("endpoint_id", "project_id"), "next_attempt_at") where "status" in ('pending', 'sending')`,
    );
    this.addSql('drop index concurrently if exists "delivery_due"');
  }
}

/** The same event goes to each endpoint under the same ID: `delivery_of_event` allows it once for each. */
export class DeliveriesOfEvent extends SchemaChange {
  override up(): void {
    this.addSql('alter table "delivery" drop constraint "delivery_webhook_id_unique"');
  }
}
