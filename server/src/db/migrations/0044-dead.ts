// Indexes dead deliveries by endpoint, so that an alert counts those of its own (WH6).
import { SchemaChange } from './schema-change.ts';

export class DeadDeliveries extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "delivery_dead"');
    this.addSql(
      `create index concurrently "delivery_dead" on "delivery" (coalesce("endpoint_id", "project_id"), "id") where "status" = 'dead'`,
    );
  }
}
