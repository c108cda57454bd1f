// Whether a project has audits that nobody has decided for good, found without looking through those that were (AU3).
import { SchemaChange } from './schema-change.ts';

export class AuditsWaiting extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "item_audit_waiting"');
    this.addSql(
      `create index concurrently "item_audit_waiting" on "item" ("project_id") where "audit" and ("status" in ('queued', 'escalated') or "public_status" is not null)`,
    );
  }
}
