// What a key may do, and until when (K8, K9). A key from before may do everything, for good.
import { SchemaChange } from './schema-change.ts';

export class KeyScopes extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "api_key" add column "scopes" text[] not null default '{submit,read}', add column "expires_at" timestamptz(3) null`,
    );
  }
}
