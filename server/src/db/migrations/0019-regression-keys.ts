// What a regression run goes over, and the key of the request that began it, so that a repeat begins no second one (RS2).
import { SchemaChange } from './schema-change.ts';

export class RegressionKeys extends SchemaChange {
  override up(): void {
    this.addSql('alter table "regression" add column "filter" jsonb null, add column "request_key" text null');
    this.addSql(
      `alter table "regression" add constraint "regression_request_key" unique ("project_id", "request_key")`,
    );
  }
}
