// Keeps of a redacted item whether its suggestion satisfied its schema: the what-if routes it by that (AN23).
import { SchemaChange } from './schema-change.ts';

/** Unknown for items that were redacted before, which count as valid. */
export class InvalidSuggestions extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" add column "was_invalid" boolean null');
  }
}
