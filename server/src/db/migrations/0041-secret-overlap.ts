// How long both webhook secrets sign during a rotation. Those under way keep the 24 hours that were fixed until now.
import { SchemaChange } from './schema-change.ts';

export class SecretOverlap extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "webhook_endpoint" add column "overlap_hours" int not null default 24`);
  }
}
