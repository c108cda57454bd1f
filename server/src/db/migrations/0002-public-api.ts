// Idempotency keys that stand for several items or for an inbound message; public lists by status without a scan.
import { SchemaChange } from './schema-change.ts';

export class PublicApi extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "idempotency_key" add column "item_ids" uuid[]`);
    this.addSql(`update "idempotency_key" set "item_ids" = array["item_id"]`);
    this.addSql(`alter table "idempotency_key" alter column "item_ids" set not null`);
    // With the column goes its foreign key: one index less to ask for each submission.
    this.addSql(`alter table "idempotency_key" drop column "item_id"`);
    this.addSql(`alter table "idempotency_key" alter column "body_sha256" drop not null`);
    // A fact is found by its position; its id is one of ours and needs no index, which every submission would pay for twice.
    this.addSql(`alter table "event" drop constraint "event_id_unique"`);
    this.addSql(
      `create index "item_newest_by_status" on "item" ("project_id", (coalesce("public_status", "status")), "created_at", "id")`,
    );
    this.addSql(
      `create index "event_finalized" on "event" ("project_id", "seq") where "type" = 'item.finalized' and "seq" is not null`,
    );
  }
}
