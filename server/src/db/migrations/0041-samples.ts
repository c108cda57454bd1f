// Whether a project has sample data of the demo, and which of its items are samples.
import { SchemaChange } from './schema-change.ts';

export class Samples extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "project" add column "samples" text null, add column "samples_until" timestamptz(3) null`);
    this.addSql(
      `alter table "project" add constraint "project_samples_check" check ("samples" in ('making', 'ready')) not valid`,
    );
    this.addSql('alter table "project" validate constraint "project_samples_check"');
  }
}
