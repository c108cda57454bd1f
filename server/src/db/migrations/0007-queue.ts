// The live queue at any length: escalated items in order, found among however many queued ones.
import { Migration } from '@mikro-orm/migrations';

export class Queue extends Migration {
  override up(): void {
    this.addSql(`create index "item_escalated" on "item" ("project_id", "due_at", "id") where "status" = 'escalated'`);
  }
}
