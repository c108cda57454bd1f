// The trace context of a submission, which its webhooks carry on (WH9): null for items without one.
import { SchemaChange } from './schema-change.ts';

export class Traceparent extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" add column "traceparent" text null');
  }
}
