// Offers of membership (PM5), direct adding (PM6), blocked wallets (A20), and checked display names (PM4).
import { SchemaChange } from './schema-change.ts';

export class Offers extends SchemaChange {
  override up(): void {
    // No foreign keys: they would hold `project` and `app_user` at once. An offer goes with its project or at its end (worker/sweep.ts).
    this.addSql(`create table "offer" (
      "id" uuid not null,
      "project_id" uuid not null,
      "address" text not null,
      "role" text not null,
      "made_by" uuid not null,
      "created_at" timestamptz(3) not null,
      "expires_at" timestamptz(3) not null,
      primary key ("id")
    )`);
    this.addSql(
      `alter table "offer" add constraint "offer_role_check" check ("role" in ('reviewer', 'supervisor', 'owner'))`,
    );
    this.addSql(
      `alter table "offer" add constraint "offer_project_id_address_unique" unique ("project_id", "address")`,
    );
    this.addSql(`create index "offer_address_index" on "offer" ("address")`);
    this.addSql(
      'alter table "app_user" add column "direct_adding" boolean not null default false, add column "blocked_at" timestamptz(3) null, add column "name_settled" boolean not null default false',
    );
  }
}
