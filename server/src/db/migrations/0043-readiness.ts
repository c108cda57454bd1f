// Whether a member hid the list of what is left before production (ON1).
import { SchemaChange } from './schema-change.ts';

export class HiddenReadiness extends SchemaChange {
  override up(): void {
    this.addSql('alter table "member" add column "readiness_hidden" boolean not null default false');
  }
}
