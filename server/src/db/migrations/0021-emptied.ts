// When an item was redacted (KE2): a step of its own, because transitions lock the item first and its project then.
import { SchemaChange } from './schema-change.ts';

export class Emptied extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" add column "emptied_at" timestamptz(3) null');
  }
}
