// What the delivery log shows of an attempt: the headers of its answer, and how many secrets signed it. And the indexes its filters need.
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
