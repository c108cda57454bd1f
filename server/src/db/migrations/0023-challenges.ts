// Whose challenges they are: so many that nobody used stand for one address (RL7).
import { SchemaChange } from './schema-change.ts';

export class Challenges extends SchemaChange {
  override up(): void {
    this.addSql('alter table "auth_challenge" add column "asked_from" text null');
  }
}

export class ChallengesIndex extends SchemaChange {
  override isTransactional = () => false;

  override up(): void {
    this.addSql('drop index concurrently if exists "auth_challenge_unused"');
    this.addSql(
      `create index concurrently "auth_challenge_unused" on "auth_challenge" ("asked_from", "expires_at", "id") where "consumed_at" is null`,
    );
  }
}
