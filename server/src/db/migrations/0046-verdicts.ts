// Indexes the verdicts of audits by time, which the page of a person counts (PF1).
import { SchemaChange } from './schema-change.ts';

export class Verdicts extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "decision_verdict"');
    this.addSql(
      'create index concurrently "decision_verdict" on "decision" ("project_id", "decided_at") include ("action", "reviewer_id") where "audit"',
    );
  }
}
