// The salt of the audit draw: the item's ID alone does not tell whether it was drawn (AU1, AU3).
import { SchemaChange } from './schema-change.ts';

export class AuditSalt extends SchemaChange {
  override up(): void {
    this.addSql('alter table "project" add column "audit_salt" uuid not null default gen_random_uuid()');
  }
}
