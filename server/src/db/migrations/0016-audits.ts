// Audits of automatic approvals: such an item waits like any other and has a verdict beside its decision.
import { SchemaChange } from './schema-change.ts';

export class Audits extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" add column "audit" boolean not null default false');
    this.addSql('alter table "decision" add column "audit" boolean not null default false');
    this.addSql('alter table "decision" add constraint "decision_of_item" unique ("item_id", "audit")');
    this.addSql('alter table "decision" drop constraint "decision_item_id_unique"');
    this.addSql('create index "item_audit" on "item" ("project_id", "created_at") where "audit"');
    this.addSql(
      `create index "item_newest_by_public_status" on "item" ("project_id", (case when "audit" then 'auto_approved' else coalesce("public_status", "status") end), "created_at", "id")`,
    );
    this.addSql('drop index "item_newest_by_status"');
    this.addSql('alter table "project" add column "error_budget" double precision null');
    this.addSql(`alter table "project" add column "over_budget" text not null default 'tell'`);
    this.addSql('alter table "project" add column "over_budget_since" timestamptz(3) null');
    this.addSql(
      `alter table "project" add constraint "project_over_budget_check" check ("over_budget" in ('tell', 'raise'))`,
    );
    this.addSql('alter table "webhook_alert" drop constraint "webhook_alert_kind_check"');
    this.addSql(
      `alter table "webhook_alert" add constraint "webhook_alert_kind_check" check ("kind" in ('exhausted', 'paused', 'recovered', 'over_budget', 'threshold_raised'))`,
    );
  }
}
