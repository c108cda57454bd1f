// A receiver that fails: how often in a row, and until when it is left alone. And where the time of an attempt went.
import { SchemaChange } from './schema-change.ts';

export class EndpointHealth extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "webhook_endpoint" add column "failures" int not null default 0,
      add column "openings" int not null default 0, add column "open_until" timestamptz(3) null`);
    this.addSql(`alter table "attempt" add column "dns_ms" double precision null, add column "connect_ms" double precision null,
      add column "tls_ms" double precision null, add column "first_byte_ms" double precision null`);
    // What is due is looked for project by project, so that a long backlog of one costs the others nothing.
    this.addSql(`drop index "delivery_due"`);
    this.addSql(
      `create index "delivery_due" on "delivery" ("project_id", "next_attempt_at") where "status" in ('pending', 'sending')`,
    );
  }
}
