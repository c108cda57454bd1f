// Many deliveries sent again as work in the background: what was asked for, how far it is, and who asked.
import { SchemaChange } from './schema-change.ts';

export class Replays extends SchemaChange {
  override up(): void {
    this.addSql(`create table "replay" (
      "id" uuid not null,
      "project_id" uuid not null,
      "status" text not null,
      "from_at" timestamptz(3) null,
      "to_at" timestamptz(3) not null,
      "state" text not null,
      "total" int not null,
      "replayed" int not null default 0,
      "cursor_at" timestamptz(3) null,
      "cursor_id" uuid null,
      "started_by" uuid null,
      "started_by_name" text not null,
      "created_at" timestamptz(3) not null,
      "ended_at" timestamptz(3) null,
      primary key ("id")
    )`);
    this.addSql(
      `alter table "replay" add constraint "replay_state_check" check ("state" in ('running', 'done', 'cancelled'))`,
    );
    this.addSql(`alter table "replay" add constraint "replay_status_check" check ("status" in ('succeeded', 'dead'))`);
    this.addSql(`create index "replay_newest" on "replay" ("project_id", "created_at")`);
    this.addSql(`create index "replay_running" on "replay" ("created_at") where "state" = 'running'`);
    this.addSql(
      `alter table "replay" add constraint "replay_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `alter table "replay" add constraint "replay_started_by_foreign" foreign key ("started_by") references "app_user" ("id") on delete set null`,
    );
  }
}
