// Reasons of overrides and the clusters they stand in (CT1). Those given before this are placed by the sweep.
import { SchemaChange } from './schema-change.ts';

export class Clusters extends SchemaChange {
  override up(): void {
    this.#tables();
    this.#keys();
  }

  #tables(): void {
    this.addSql('create extension if not exists pg_trgm');
    this.addSql(`create table "cluster" (
      "id" uuid not null,
      "project_id" uuid not null,
      "name" text null,
      "merged_into" uuid null,
      "created_at" timestamptz(3) not null,
      primary key ("id")
    )`);
    this.addSql(`create table "wording" (
      "id" uuid not null,
      "project_id" uuid not null,
      "cluster_id" uuid not null,
      "reason" text not null,
      "key" text not null,
      "placed_by_hand" boolean not null,
      "created_at" timestamptz(3) not null,
      primary key ("id")
    )`);
  }

  #keys(): void {
    this.addSql(`create index "cluster_of_project" on "cluster" ("project_id")`);
    this.addSql(`create index "cluster_merged" on "cluster" ("merged_into") where "merged_into" is not null`);
    this.addSql(`create index "wording_of_cluster" on "wording" ("cluster_id")`);
    this.addSql(`create index "wording_close" on "wording" using gin ("key" gin_trgm_ops)`);
    this.addSql(`create index "learning_of_reason" on "learning" ("project_id", "reason")`);
    this.addSql(`alter table "wording" add constraint "wording_of_reason" unique ("project_id", "reason")`);
    this.addSql(
      `alter table "cluster" add constraint "cluster_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `alter table "cluster" add constraint "cluster_merged_into_foreign" foreign key ("merged_into") references "cluster" ("id") on delete set null`,
    );
    this.addSql(
      `alter table "wording" add constraint "wording_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
    this.addSql(
      `alter table "wording" add constraint "wording_cluster_id_foreign" foreign key ("cluster_id") references "cluster" ("id")`,
    );
  }
}
