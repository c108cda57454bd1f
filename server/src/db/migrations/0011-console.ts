// The delivery log: response headers and number of signatures of each attempt, and the indexes of its filters.
import { SchemaChange } from './schema-change.ts';

export class Console extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "attempt" add column "response_headers" text null, add column "signatures" smallint null`);
    // What went wrong is little beside what went well: looked for newest first, however much lies between.
    this.addSql(
      `create index "delivery_failed" on "delivery" ("project_id", "created_at", "id") where "error" is not null`,
    );
    this.addSql(`create index "delivery_by_code" on "delivery" ("project_id", "http_status", "created_at", "id")`);
  }
}
