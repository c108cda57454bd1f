// The guidelines that stood when a learning was made, what is left out of exports (LX5), and regression runs (RS).
import { SchemaChange } from './schema-change.ts';

export class Learnings extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "learning" add column "guidelines_version" int null, add column "excluded" boolean not null default false`,
    );
    this.#guidelinesOfOld();
    this.addSql(
      `create index "event_of_learning" on "event" (("data" -> 'learning' ->> 'id'), "seq") where "type" = 'project.changed' and "data" -> 'learning' is not null`,
    );
    this.addSql(
      `create index "event_reshaped" on "event" ("project_id", "seq") where "type" = 'project.changed' and "data" -> 'reshaped' is not null`,
    );
    this.#regressions();
    this.#keys();
  }

  /** Settings versions are never changed, so what stood at any moment is known: a version that brought a text stands until the next. */
  #guidelinesOfOld(): void {
    this.addSql(`with brought as (
        select v.project_id, v.version, v.changed_at from project_settings v
        left join project_settings b on b.project_id = v.project_id and b.version = v.version - 1
        where b.version is null or v.settings ->> 'guidelines' is distinct from b.settings ->> 'guidelines'),
      stood as (select *, lead(changed_at) over (partition by project_id order by version) as until from brought)
      update "learning" l set "guidelines_version" = s.version from stood s
      where s.project_id = l.project_id and l.created_at >= s.changed_at and (s.until is null or l.created_at < s.until)`);
  }

  #regressions(): void {
    this.addSql(`create table "regression" (
      "id" uuid not null,
      "project_id" uuid not null,
      "cluster_id" uuid null,
      "title" text null,
      "started_by_name" text not null,
      "created_at" timestamptz(3) not null,
      primary key ("id")
    )`);
    this.addSql(`create table "regression_case" (
      "regression_id" uuid not null,
      "learning_id" uuid not null,
      "project_id" uuid not null,
      "place" int not null,
      "suggestion" text null,
      "confidence" double precision null,
      "risk_flags" text[] null,
      "outcome" text null,
      "status" text null,
      "answered_by_name" text null,
      "answered_at" timestamptz(3) null,
      primary key ("regression_id", "learning_id")
    )`);
    this.addSql(
      `alter table "regression_case" add constraint "regression_case_outcome_check" check ("outcome" in ('still_fails', 'differs', 'fixed'))`,
    );
    this.addSql(
      `alter table "regression_case" add constraint "regression_case_status_check" check ("status" in ('auto_approved', 'queued', 'escalated', 'rejected', 'approved', 'escalated_final'))`,
    );
  }

  #keys(): void {
    this.addSql(`create index "regression_newest" on "regression" ("project_id", "created_at")`);
    this.addSql(`create index "regression_case_of_learning" on "regression_case" ("learning_id")`);
    this.addSql(`create index "regression_case_of_project" on "regression_case" ("project_id")`);
    this.addSql(
      `alter table "regression_case" add constraint "regression_case_place" unique ("regression_id", "place")`,
    );
    const refer = (table: string, [column, to]: [string, string], then = '') =>
      this.addSql(
        `alter table "${table}" add constraint "${table}_${column}_foreign" foreign key ("${column}") references "${to}" ("id")${then}`,
      );
    refer('regression', ['project_id', 'project']);
    refer('regression', ['cluster_id', 'cluster'], ' on delete set null');
    refer('regression_case', ['regression_id', 'regression'], ' on update cascade on delete cascade');
    refer('regression_case', ['learning_id', 'learning'], ' on update cascade on delete cascade');
    refer('regression_case', ['project_id', 'project']);
  }
}
