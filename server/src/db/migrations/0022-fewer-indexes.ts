// Drops the index of first deliveries, which every lease maintained: the index of all deliveries finds them.
import { SchemaChange } from './schema-change.ts';

export class FewerIndexes extends SchemaChange {
  override up(): void {
    this.addSql('drop index "delivery_in_flight"');
  }
}
