// An index of the deliveries that are being retried: counting them reads nothing that waits for its first attempt.
import { SchemaChange } from './schema-change.ts';

export class Retrying extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "delivery_retrying"');
    this.addSql(
      `create index concurrently "delivery_retrying" on "delivery" ("project_id", "created_at") where "attempt" > 1 and "status" in ('pending', 'sending')`,
    );
  }
}
