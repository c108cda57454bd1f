// The stop switch (RT7): who stopped a project and since when, and the rule its items are kept with.
import { SchemaChange } from './schema-change.ts';

export class Stop extends SchemaChange {
  override up(): void {
    this.addSql(
      'alter table "project" add column "stopped_at" timestamptz(3) null, add column "stopped_by" uuid null, add column "stop_note" text null',
    );
    this.addSql(
      `alter table "project" add constraint "project_stopped_by_foreign" foreign key ("stopped_by") references "app_user" ("id") on delete set null`,
    );
    // What is stored already keeps to the narrower check: nothing has to be read again.
    this.addSql('alter table "item" drop constraint "item_rule_check"');
    this.addSql(
      `alter table "item" add constraint "item_rule_check" check ("rule" in ('RT1', 'RT2', 'RT3', 'RT4', 'RT7')) not valid`,
    );
  }
}
