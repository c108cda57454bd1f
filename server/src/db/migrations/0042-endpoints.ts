// Several webhook endpoints per project: the one of its settings has the ID of the project, others have their own.
import { SchemaChange } from './schema-change.ts';

/**
 * The endpoint of the settings has no `endpoint_id`, and its `id` is that of the project: processes of the version before write
 * such rows, and the rows that exist need no change. The table has one row per project, so that computing a column takes
 * no time.
 */
export class Endpoints extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "webhook_endpoint" add column "endpoint_id" uuid null,
      add column "id" uuid generated always as (coalesce("endpoint_id", "project_id")) stored,
      add column "url" text null, add column "description" text not null default '', add column "events" text[] null,
      add column "is_enabled" boolean not null default true, add column "created_at" timestamptz(3) not null default now(),
      add column "removed_at" timestamptz(3) null`);
  }
}

export class EndpointIds extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "webhook_endpoint_id"');
    this.addSql('create unique index concurrently "webhook_endpoint_id" on "webhook_endpoint" ("id")');
    this.addSql('drop index concurrently if exists "webhook_endpoint_of_project"');
    this.addSql('create index concurrently "webhook_endpoint_of_project" on "webhook_endpoint" ("project_id")');
  }
}

export class EndpointKey extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "webhook_endpoint" drop constraint "webhook_endpoint_pkey",
      add constraint "webhook_endpoint_pkey" primary key using index "webhook_endpoint_id"`);
  }
}

export class AlertEndpoints extends SchemaChange {
  override up(): void {
    this.addSql('alter table "webhook_alert" add column "endpoint_id" uuid null');
  }
}

/** Of all endpoints while it is null. */
export class ReplayEndpoints extends SchemaChange {
  override up(): void {
    this.addSql('alter table "replay" add column "endpoint_id" uuid null');
  }
}
