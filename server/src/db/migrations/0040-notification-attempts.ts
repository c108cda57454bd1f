// Reminders (NO5): the circuits of their targets, their attempts, and from which attempt their schedule counts.
import { SchemaChange } from './schema-change.ts';

export class NotificationAttempts extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "notification_message" add column "target" text not null default '', add column "schedule_from" int not null default 0`,
    );
    this.addSql(
      `create table "notification_target" ("project_id" uuid not null, "target" text not null, "failures" int not null default 0, "openings" int not null default 0, "open_until" timestamptz(3) null, primary key ("project_id", "target"))`,
    );
    this.addSql(
      `alter table "notification_target" add constraint "notification_target_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `create table "notification_attempt" ("message_id" uuid not null, "n" int not null, "started_at" timestamptz(3) not null, "total_ms" double precision not null, "http_status" int null, "error" text null, primary key ("message_id", "n"))`,
    );
    this.addSql(
      `alter table "notification_attempt" add constraint "notification_attempt_message_id_foreign" foreign key ("message_id") references "notification_message" ("id") on delete cascade`,
    );
  }
}
