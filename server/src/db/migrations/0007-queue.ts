// The live queue at any length: escalated items in order, found among however many queued ones.
import { SchemaChange } from './schema-change.ts';

export class Queue extends SchemaChange {
  override up(): void {
    this.addSql(`create index "item_escalated" on "item" ("project_id", "due_at", "id") where "status" = 'escalated'`);
  }
}
