// Deadlines (DL): their columns, the clock by which they pass, and a further status, which every stored row keeps to.
import { SchemaChange } from './schema-change.ts';

const STATUSES = `'auto_approved', 'queued', 'escalated', 'rejected', 'approved', 'escalated_final', 'withdrawn', 'expired'`;

export class Deadlines extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "item" add column "deadline" timestamptz(3) null, add column "on_deadline" text null, add column "deadline_span" int null, add column "deadline_extended" boolean not null default false, add column "expired_at" timestamptz(3) null`,
    );
    this.addSql('alter table "item" drop constraint "item_status_check"');
    this.addSql(
      `alter table "item" add constraint "item_status_check" check ("status" in (${STATUSES})) not valid, add constraint "item_on_deadline_check" check ("on_deadline" in ('expire', 'escalate', 'reject')) not valid`,
    );
    // Not inlined, because its body is volatile: an index on deadlines is used with it all the same.
    this.addSql(
      `create or replace function "deadline_clock"() returns timestamptz language sql stable as 'select clock_timestamp()'`,
    );
  }
}

export class DeadlineSettings extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "project" add column "deadline_minutes" int null, add column "on_deadline" text not null default 'expire'`,
    );
    this.addSql(
      `alter table "project" add constraint "project_on_deadline_check" check ("on_deadline" in ('expire', 'escalate', 'reject')) not valid`,
    );
  }
}

/** Cases of regression runs have the status that the item had. */
export class DeadlineCases extends SchemaChange {
  override up(): void {
    this.addSql('alter table "regression_case" drop constraint "regression_case_status_check"');
    this.addSql(
      `alter table "regression_case" add constraint "regression_case_status_check" check ("status" in (${STATUSES})) not valid`,
    );
  }
}

/** The job reads what is due, and the catch-up feed what ended by time. */
export class DeadlineIndexes extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "item_deadline"');
    this.addSql(
      `create index concurrently "item_deadline" on "item" ("deadline") where "deadline" is not null and "status" in ('queued', 'escalated')`,
    );
    this.addSql('drop index concurrently if exists "item_expired"');
    this.addSql(
      `create index concurrently "item_expired" on "item" ("project_id", "expired_at") where "expired_at" is not null`,
    );
    this.addSql('drop index concurrently if exists "event_expired"');
    this.addSql(
      `create index concurrently "event_expired" on "event" ("project_id", "seq") where "type" = 'item.expired' and "seq" is not null`,
    );
  }
}
