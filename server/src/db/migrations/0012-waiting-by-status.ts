// What waits, in order, by its status: queued items are found past however many escalated ones, and one index serves both.
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
