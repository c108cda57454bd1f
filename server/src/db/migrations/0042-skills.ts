// Who gets which items first (SK): the setting, what it means for routing, and until when an item is reserved.
import { SchemaChange } from './schema-change.ts';

export class Skills extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "project" add column "skills" jsonb not null default '[]', add column "skill_routes" jsonb null`,
    );
    this.addSql(
      `create table "skill" ("project_id" uuid not null, "skill" text not null, "people" uuid[] not null, primary key ("project_id", "skill"))`,
    );
    this.addSql(
      `alter table "skill" add constraint "skill_project_id_foreign" foreign key ("project_id") references "project" ("id")`,
    );
  }
}

export class Reservations extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "item" add column "reserved_for" text null, add column "reserved_until" timestamptz(3) null`,
    );
  }
}

/** An item for everybody is found in due order without visiting the reserved ones before it, and these by their entry. */
export class ReservationIndexes extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "item_waiting_by_due"');
    this.addSql(
      `create index concurrently "item_waiting_by_due" on "item" ("project_id", "status", "due_at", "id", "reserved_for") where "status" in ('queued', 'escalated')`,
    );
    this.addSql('drop index concurrently if exists "item_waiting_by_status"');
    this.addSql('drop index concurrently if exists "item_waiting_reserved"');
    this.addSql('drop index concurrently if exists "item_waiting_for_all"');
    this.addSql(
      `create index concurrently "item_waiting_for_all" on "item" ("project_id", "due_at", "id") where "status" = 'queued' and "reserved_for" is null`,
    );
    this.addSql(
      `create index concurrently "item_waiting_reserved" on "item" ("project_id", "reserved_for", "due_at", "id", "reserved_until") where "status" = 'queued' and "reserved_for" is not null`,
    );
  }
}
