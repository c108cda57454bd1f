// Finds the decisions of one person in all projects, for their own figures (OF1).
import { SchemaChange } from './schema-change.ts';

export class OwnFigures extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "decision_of_person"');
    this.addSql(
      'create index concurrently "decision_of_person" on "decision" ("reviewer_id", "decided_at") include ("action") where "reviewer_id" is not null',
    );
  }
}
