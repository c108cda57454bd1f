// Withdrawn items (WD): a further status, which every stored row keeps to already.
import { SchemaChange } from './schema-change.ts';

export class Withdrawal extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" drop constraint "item_status_check"');
    this.addSql(
      `alter table "item" add constraint "item_status_check" check ("status" in ('auto_approved', 'queued', 'escalated', 'rejected', 'approved', 'escalated_final', 'withdrawn')) not valid`,
    );
  }
}

/** Cases of regression runs have the status that the item had. */
export class WithdrawalCases extends SchemaChange {
  override up(): void {
    this.addSql('alter table "regression_case" drop constraint "regression_case_status_check"');
    this.addSql(
      `alter table "regression_case" add constraint "regression_case_status_check" check ("status" in ('auto_approved', 'queued', 'escalated', 'rejected', 'approved', 'escalated_final', 'withdrawn')) not valid`,
    );
  }
}

/** The catch-up feed reads both kinds of events. */
export class WithdrawalFeed extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "event_withdrawn"');
    this.addSql(
      `create index concurrently "event_withdrawn" on "event" ("project_id", "seq") where "type" = 'item.withdrawn' and "seq" is not null`,
    );
  }
}
