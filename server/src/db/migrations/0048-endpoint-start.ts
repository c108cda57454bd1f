// Stores after which event an endpoint was added: it gets later ones alone, although the relay may run later (WH12).
import { SchemaChange } from './schema-change.ts';

/** Unknown for endpoints that were added before, and for that of the settings: these get what is sequenced from now on. */
export class EndpointStart extends SchemaChange {
  override up(): void {
    this.addSql('alter table "webhook_endpoint" add column "after_position" bigint null');
  }
}
