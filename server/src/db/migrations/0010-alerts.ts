// What owners were told of their webhooks, and until when each of them has seen it (WH6).
import { SchemaChange } from './schema-change.ts';

export class Alerts extends SchemaChange {
  override up(): void {
    this.addSql(`create table "webhook_alert" (
      "id" uuid not null,
      "project_id" uuid not null,
      "kind" text not null,
      "delivery_id" uuid null,
      "attempts" int null,
      "http_status" int null,
      "error" text null,
      "created_at" timestamptz(3) not null,
      primary key ("id")
    )`);
    this.addSql(
      `alter table "webhook_alert" add constraint "webhook_alert_kind_check" check ("kind" in ('exhausted', 'paused', 'recovered'))`,
    );
    this.addSql(`create index "webhook_alert_newest" on "webhook_alert" ("project_id", "created_at")`);
    this.addSql(
      `alter table "webhook_alert" add constraint "webhook_alert_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(`alter table "webhook_endpoint" add column "alerted_at" timestamptz(3) null`);
    this.addSql(`alter table "webhook_endpoint" add column "in_trouble" boolean not null default false`);
    this.addSql(`alter table "member" add column "alerts_seen_at" timestamptz(3) null`);
  }
}
