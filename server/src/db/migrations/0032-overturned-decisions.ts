// Finds the overturned decisions of one person by the time of the report, so that older ones are not read (OF1).
import { SchemaChange } from './schema-change.ts';

export class OverturnedDecisions extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "mistake_report_overturned_newest"');
    this.addSql(
      'create index concurrently "mistake_report_overturned_newest" on "mistake_report" ("decided_by", "reported_at") where "overturned"',
    );
    this.addSql('drop index concurrently if exists "mistake_report_overturned"');
  }
}
