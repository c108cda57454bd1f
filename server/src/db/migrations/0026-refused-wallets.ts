// Wallets whose offers a person does not want to see (PM9).
import { SchemaChange } from './schema-change.ts';

export class RefusedWallets extends SchemaChange {
  override up(): void {
    // No foreign keys: they would hold two rows of `app_user` at once. Who is forgotten is taken out (db/rename-person.ts).
    this.addSql(`create table "refused_wallet" (
      "user_id" uuid not null,
      "refused_id" uuid not null,
      "created_at" timestamptz(3) not null,
      primary key ("user_id", "refused_id")
    )`);
  }
}
