// Who exported which learnings, and the overrides in the order of the ledger, which exports follow (LX2).
import { SchemaChange } from './schema-change.ts';

export class Exports extends SchemaChange {
  override up(): void {
    this.addSql(`create table "learning_export" (
      "id" uuid not null,
      "project_id" uuid not null,
      "exported_by" uuid null,
      "filter" jsonb not null,
      "lines" int null,
      "created_at" timestamptz(3) not null,
      primary key ("id")
    )`);
    this.addSql(`create index "learning_export_newest" on "learning_export" ("project_id", "created_at")`);
    this.addSql(
      `alter table "learning_export" add constraint "learning_export_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `alter table "learning_export" add constraint "learning_export_exported_by_foreign" foreign key ("exported_by") references "app_user" ("id") on delete set null`,
    );
    this.addSql(
      `create index "event_override" on "event" ("project_id", "seq") where "type" = 'item.finalized' and "data" ->> 'action' in ('edit', 'reject')`,
    );
  }
}
