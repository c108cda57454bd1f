// The cases of a regression run, and the idempotency key of the request that started it (RS2).
import { SchemaChange } from './schema-change.ts';

export class RegressionKeys extends SchemaChange {
  override up(): void {
    this.addSql('alter table "regression" add column "filter" jsonb null, add column "request_key" text null');
    this.addSql(
      `alter table "regression" add constraint "regression_request_key" unique ("project_id", "request_key")`,
    );
  }
}
