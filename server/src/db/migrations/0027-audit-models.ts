// Since when a model is audited, found without reading all audits of a project for each of its models (AU6).
import { SchemaChange } from './schema-change.ts';

export class AuditModels extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "item_audit_model"');
    this.addSql(
      'create index concurrently "item_audit_model" on "item" ("project_id", (coalesce("model", \'\')), "created_at") where "audit"',
    );
  }
}
