// Indexes attempted deliveries by endpoint, so that reading its health skips those never attempted (WH10).
import { SchemaChange } from './schema-change.ts';

export class AttemptedDeliveries extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "delivery_attempted"');
    this.addSql(
      'create index concurrently "delivery_attempted" on "delivery" (coalesce("endpoint_id", "project_id"), "created_at", "id") where "attempt" > 0',
    );
  }
}
