// Reported mistakes in final decisions, with their answers (MR).
import { SchemaChange } from './schema-change.ts';

export class MistakeReports extends SchemaChange {
  override up(): void {
    // No foreign key to a user: erasing one leaves the row, and names are read from the user's row.
    this.addSql(`create table "mistake_report" (
      "item_id" uuid not null primary key,
      "project_id" uuid not null constraint "mistake_report_project_id_foreign" references "project" ("id"),
      "decision_id" uuid not null constraint "mistake_report_decision_id_foreign"
        references "decision" ("id") on delete cascade,
      "decided_by" uuid not null,
      "reported_by" uuid not null,
      "note" text null,
      "reported_at" timestamptz(3) not null,
      "overturned" boolean null,
      "answered_by" uuid null,
      "answered_at" timestamptz(3) null
    )`);
    this.addSql('create unique index "mistake_report_of_decision" on "mistake_report" ("decision_id")');
    this.addSql('create index "mistake_report_newest" on "mistake_report" ("project_id", "reported_at", "item_id")');
    this.addSql('create index "mistake_report_overturned" on "mistake_report" ("decided_by") where "overturned"');
  }
}
