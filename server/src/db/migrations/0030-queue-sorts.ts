// The queue by arrival, confidence and flag (QU25): a page of each costs the same at any length.
import { SchemaChange } from './schema-change.ts';

const INDEXES = {
  item_waiting_newest: '"created_at", "id"',
  item_waiting_confidence: '"confidence", "due_at", "id"',
  item_waiting_flag: `(coalesce('0' || "risk_flags"[1], '1') collate "C"), "due_at", "id"`,
};

export class QueueSorts extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    for (const [name, columns] of Object.entries(INDEXES)) {
      this.addSql(`drop index concurrently if exists "${name}"`);
      this.addSql(
        `create index concurrently "${name}" on "item" ("project_id", "status", ${columns}) where "status" in ('queued', 'escalated')`,
      );
    }
  }
}
