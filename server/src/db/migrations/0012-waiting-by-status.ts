// Indexes waiting items by status, so that queued items are found past many escalated ones.
import { SchemaChange } from './schema-change.ts';

export class WaitingByStatus extends SchemaChange {
  override up(): void {
    this.addSql(
      `create index "item_waiting_by_status" on "item" ("project_id", "status", "due_at", "id") where "status" in ('queued', 'escalated')`,
    );
    this.addSql('drop index "item_waiting"');
    this.addSql('drop index "item_escalated"');
  }
}
