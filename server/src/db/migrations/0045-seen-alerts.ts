// Stores by topic up to when a user has seen alerts: dismissing those of one endpoint hides none of another (WH6).
import { SchemaChange } from './schema-change.ts';

/** What was seen before stays in `member.alerts_seen_at`, which processes of the version before still write. */
export class SeenAlerts extends SchemaChange {
  override up(): void {
    this.addSql(
      `create table "alert_seen" ("project_id" uuid not null, "user_id" uuid not null, "topic" text not null,
        "until" timestamptz(3) not null, primary key ("project_id", "user_id", "topic"))`,
    );
    this.addSql(
      `alter table "alert_seen" add constraint "alert_seen_project_id_foreign" foreign key ("project_id") references "project" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "alert_seen" add constraint "alert_seen_user_id_foreign" foreign key ("user_id") references "app_user" ("id")`,
    );
  }
}

/** Finds the newest alerts of a topic without reading those of others. */
export class AlertsOfTopic extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "webhook_alert_of_topic"');
    this.addSql(
      `create index concurrently "webhook_alert_of_topic" on "webhook_alert" ("project_id", (case when "kind" in ('exhausted', 'paused', 'recovered') then coalesce("endpoint_id", "project_id")::text else 'budget' end), "created_at")`,
    );
  }
}
