// Stores by how much a deadline was extended: warning (DL5) and reminder (NO1) count the whole time to it.
import { SchemaChange } from './schema-change.ts';

/** Unknown for what was extended before, which counts the time to the first deadline. */
export class DeadlineExtension extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" add column "deadline_extension" int null');
  }
}
