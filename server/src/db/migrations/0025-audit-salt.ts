// What an audit is drawn by, beside the item's id: whoever knows the id alone cannot tell whether its item was drawn (AU1, AU3).
import { SchemaChange } from './schema-change.ts';

export class AuditSalt extends SchemaChange {
  override up(): void {
    this.addSql('alter table "project" add column "audit_salt" uuid not null default gen_random_uuid()');
  }
}
