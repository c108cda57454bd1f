// The sources a project takes signed submissions from.
import { SchemaChange } from './schema-change.ts';

export class InboundSources extends SchemaChange {
  override up(): void {
    this.addSql(`create table "inbound_source" (
      "id" uuid not null,
      "project_id" uuid not null,
      "name" text not null,
      "secret" text not null,
      "created_by" uuid null,
      "created_at" timestamptz(3) not null,
      "last_used_at" timestamptz(3) null,
      "removed_at" timestamptz(3) null,
      primary key ("id")
    )`);
    this.addSql(`create index "inbound_source_project_id_index" on "inbound_source" ("project_id")`);
    this.addSql(
      `alter table "inbound_source" add constraint "inbound_source_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `alter table "inbound_source" add constraint "inbound_source_created_by_foreign" foreign key ("created_by") references "app_user" ("id") on delete set null`,
    );
  }
}
