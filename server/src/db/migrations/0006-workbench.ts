// The owner's workbench: the change log, the guidelines that members have seen, and deleted projects.
import { SchemaChange } from './schema-change.ts';

/** The settings version that brought the guidelines as they are, and the one a member has seen. */
const FOR_GUIDELINES = [
  `alter table "project" add column "guidelines_version" int not null default 1`,
  `alter table "member" add column "guidelines_seen" int not null default 1`,
  `update "project" p set "guidelines_version" = coalesce((
     select max(v.version) from "project_settings" v
     left join "project_settings" b on b.project_id = v.project_id and b.version = v.version - 1
     where v.project_id = p.id and v.settings ->> 'guidelines' <> coalesce(b.settings ->> 'guidelines', '')), 1)`,
  `update "member" m set "guidelines_seen" = p."guidelines_version" from "project" p where p.id = m.project_id`,
];

/** By the last a project's claims are found, by the two before it a deleted project's items go without a look at every delivery and learning of the others. */
const FOR_DELETING = [
  `alter table "project" add column "deleted_at" timestamptz(3) null`,
  `create index "project_deleted" on "project" ("deleted_at") where "deleted_at" is not null`,
  `create index "delivery_of_item" on "delivery" ("item_id")`,
  `create index "learning_of_item" on "learning" ("item_id")`,
  `create index "item_held" on "item" ("project_id") where "claimed_by" is not null`,
];

export class Workbench extends SchemaChange {
  override up(): void {
    // No foreign key to the project: that a project was deleted, and by whom, outlives it.
    this.addSql(`create table "project_change" (
      "id" uuid not null,
      "project_id" uuid not null,
      "position" bigserial not null,
      "action" text not null,
      "subject" text null,
      "subject_id" uuid null,
      "before" jsonb null,
      "after" jsonb null,
      "changed_by" uuid null,
      "changed_by_name" text not null,
      "changed_at" timestamptz(3) not null,
      primary key ("id")
    )`);
    this.addSql(`create index "project_change_newest" on "project_change" ("project_id", "position")`);
    this.addSql(
      `alter table "project_change" add constraint "project_change_changed_by_foreign" foreign key ("changed_by") references "app_user" ("id") on delete set null`,
    );
    // Settings changed before there was a log: each version against the one before it.
    this.addSql(`insert into "project_change" ("id", "project_id", "action", "subject", "before", "after", "changed_by", "changed_by_name", "changed_at")
      select gen_random_uuid(), s.project_id, case when s.version = 1 then 'project.created' else 'settings.changed' end,
        case when s.version > 1 then 'v' || s.version end,
        (select jsonb_object_agg(k.key, k.value) from jsonb_each(p.settings) k where k.value is distinct from s.settings -> k.key),
        (select jsonb_object_agg(k.key, k.value) from jsonb_each(s.settings) k where p.settings is null or k.value is distinct from p.settings -> k.key),
        s.changed_by, coalesce(u.name, left(u.address, 4) || '…' || right(u.address, 4), 'Countersign'), s.changed_at
      from "project_settings" s
      left join "project_settings" p on p.project_id = s.project_id and p.version = s.version - 1
      left join "app_user" u on u.id = s.changed_by
      order by s.changed_at, s.version`);

    for (const statement of FOR_GUIDELINES) this.addSql(statement);

    // A replay starts the schedule again behind the attempts already made.
    this.addSql(`alter table "delivery" add column "schedule_from" int not null default 0`);

    // The log by state: what failed is looked for among everything that did not.
    this.addSql(`create index "delivery_by_status" on "delivery" ("project_id", "status", "created_at", "id")`);

    for (const statement of FOR_DELETING) this.addSql(statement);

    // What people decided today is counted again whenever something happens; automatic decisions would be most of it.
    this.addSql(
      `create index "decision_by_people" on "decision" ("project_id", "decided_at") include ("action") where "reviewer_id" is not null`,
    );
  }
}
