// Reminders (NO): the setting, when each rule last spoke, and the messages to send.
import { SchemaChange } from './schema-change.ts';

export class Notifications extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "project" add column "notifications" jsonb not null default '[]'`);
    this.addSql(
      `create table "notification_rule" ("project_id" uuid not null, "target" text not null, "rule" text not null, "spoke_at" timestamptz(3) not null, primary key ("project_id", "target", "rule"))`,
    );
    this.addSql(
      `alter table "notification_rule" add constraint "notification_rule_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `create table "notification_message" ("id" uuid not null, "project_id" uuid not null, "kind" text not null, "url" text not null, "body" text not null, "status" text not null, "attempt" int not null default 0, "next_attempt_at" timestamptz(3) null, "lease_until" timestamptz(3) null, "claim_token" uuid null, "http_status" int null, "error" text null, "created_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, primary key ("id"))`,
    );
    this.addSql(
      `alter table "notification_message" add constraint "notification_message_kind_check" check ("kind" in ('slack', 'teams', 'webhook'))`,
    );
    this.addSql(
      `alter table "notification_message" add constraint "notification_message_status_check" check ("status" in ('pending', 'sending', 'succeeded', 'dead'))`,
    );
    this.addSql(
      `alter table "notification_message" add constraint "notification_message_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `create index "notification_message_newest" on "notification_message" ("project_id", "created_at", "id")`,
    );
    this.addSql(
      `create index "notification_message_due" on "notification_message" ("next_attempt_at") where "status" in ('pending', 'sending')`,
    );
  }
}
