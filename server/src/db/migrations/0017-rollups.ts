// Rollups by minute, hour and day, counted up to `rollup_seq`, and the time zone of a project's days.
import { SchemaChange } from './schema-change.ts';

export class Rollups extends SchemaChange {
  override up(): void {
    // What was stamped before stands beyond 0: a worker counts it, as it counts what an older relay stamps meanwhile.
    this.addSql(`alter table "project" add column "rollup_seq" bigint not null default '0'`);
    this.addSql(`alter table "project" add column "time_zone" text not null default 'UTC'`);
    this.addSql(`create table "rollup" (
      "project_id" uuid not null,
      "measure" text not null,
      "grain" text not null,
      "at" timestamptz(3) not null,
      "key" text not null,
      "n" bigint not null,
      "part" bigint not null,
      "total" bigint not null,
      primary key ("project_id", "measure", "grain", "at", "key")
    )`);
    this.addSql(
      `alter table "rollup" add constraint "rollup_grain_check" check ("grain" in ('minute', 'hour', 'day'))`,
    );
    this.addSql(
      `alter table "rollup" add constraint "rollup_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
  }
}
