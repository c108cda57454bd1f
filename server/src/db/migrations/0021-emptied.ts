// When an item's content was taken away (KE2). A step of its own: who moves an item asks for it first and for its project then.
import { SchemaChange } from './schema-change.ts';

export class Emptied extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" add column "emptied_at" timestamptz(3) null');
  }
}
