// An item has few deliveries: which of them is the first is found by the index of all of them, and every lease pays for one index less.
import { SchemaChange } from './schema-change.ts';

export class FewerIndexes extends SchemaChange {
  override up(): void {
    this.addSql('drop index "delivery_in_flight"');
  }
}
