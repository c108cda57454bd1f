// With which settings version a project drew its last audits, for as long as something that arrived before waits (AU3).
import { SchemaChange } from './schema-change.ts';

export class AuditsOff extends SchemaChange {
  override up(): void {
    this.addSql('alter table "project" add column "audits_off_version" int null');
  }
}
