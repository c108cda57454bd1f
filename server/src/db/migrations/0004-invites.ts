// Invites into a project's reviewer pool.
import { SchemaChange } from './schema-change.ts';

export class Invites extends SchemaChange {
  override up(): void {
    this.addSql(`create table "invite" (
      "id" uuid not null,
      "project_id" uuid not null,
      "token_hash" text not null,
      "role" text not null,
      "address" text null,
      "created_by" uuid null,
      "created_at" timestamptz(3) not null,
      "expires_at" timestamptz(3) not null,
      "used_by" uuid null,
      "used_at" timestamptz(3) null,
      "revoked_at" timestamptz(3) null,
      primary key ("id")
    )`);
    this.addSql(
      `alter table "invite" add constraint "invite_role_check" check ("role" in ('reviewer', 'supervisor', 'owner'))`,
    );
    this.addSql(`create index "invite_project_id_index" on "invite" ("project_id")`);
    this.addSql(`alter table "invite" add constraint "invite_token_hash_unique" unique ("token_hash")`);
    this.addSql(
      `alter table "invite" add constraint "invite_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `alter table "invite" add constraint "invite_created_by_foreign" foreign key ("created_by") references "app_user" ("id") on delete set null`,
    );
    this.addSql(
      `alter table "invite" add constraint "invite_used_by_foreign" foreign key ("used_by") references "app_user" ("id") on delete set null`,
    );
  }
}
