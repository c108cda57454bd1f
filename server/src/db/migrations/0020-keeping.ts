// For how long a project keeps what is done with (KE), and how far along its ledger that was carried out.
import { SchemaChange } from './schema-change.ts';

export class Keeping extends SchemaChange {
  override up(): void {
    this.addSql(
      'alter table "project" add column "keep_payloads_days" integer null, add column "keep_attempts_days" integer null, add column "keep_ledger_days" integer null',
    );
    this.addSql(
      `create table "keeping" ("project_id" uuid not null, "kind" text not null, "through_seq" bigint not null default '0', "facts_gone" bigint not null default '0', "gone_until" timestamptz(3) null, primary key ("project_id", "kind"))`,
    );
    // Its rows go with their project also where a process of the version before takes that away.
    this.addSql(
      `alter table "keeping" add constraint "keeping_project_id_foreign" foreign key ("project_id") references "project" ("id") on delete cascade`,
    );
    this.addSql(
      `alter table "keeping" add constraint "keeping_kind_check" check ("kind" in ('attempts', 'payloads', 'ledger'))`,
    );
  }
}
