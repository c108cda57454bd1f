// The first schema. Generated from the entities once, then frozen; SQL for PostgreSQL 15 and up.
import { SchemaChange } from './schema-change.ts';

const SCHEMA = `
create table "auth_challenge" (
  "id" uuid not null,
  "binder_hash" text not null,
  "input" jsonb not null,
  "expires_at" timestamptz(3) not null,
  "consumed_at" timestamptz(3) null,
  primary key ("id")
);
create index "auth_challenge_expires_at_index" on "auth_challenge" ("expires_at");
create table "project" (
  "id" uuid not null,
  "name" text not null,
  "auto_threshold" double precision not null,
  "review_threshold" double precision not null,
  "below_review" text not null,
  "escalate_flags" text[] not null,
  "guidelines" text not null,
  "reasons" text[] not null,
  "audit_rate" double precision not null,
  "undo_window_seconds" int not null,
  "claim_lease_seconds" int not null,
  "target_minutes" int not null,
  "webhook_url" text null,
  "settings_version" int not null,
  "event_seq" bigint not null default '0',
  "created_at" timestamptz(3) not null,
  "archived_at" timestamptz(3) null,
  primary key ("id")
);
alter table "project" add constraint "project_below_review_check" check ("below_review" in ('reject', 'queue', 'escalate'));
create table "event" (
  "position" bigserial primary key,
  "id" uuid not null,
  "project_id" uuid not null,
  "seq" bigint null,
  "type" text not null,
  "item_id" uuid null,
  "actor" jsonb not null,
  "data" jsonb not null,
  "created_at" timestamptz(3) not null
);
alter table "event" add constraint "event_id_unique" unique ("id");
create index "event_unstamped" on "event" ("position") where "seq" is null;
create index "event_of_item" on "event" ("item_id", "position");
alter table "event" add constraint "event_seq" unique ("project_id", "seq");
create table "app_user" (
  "id" uuid not null,
  "address" text not null,
  "name" text null,
  "created_at" timestamptz(3) not null,
  primary key ("id")
);
alter table "app_user" add constraint "app_user_address_unique" unique ("address");
create table "session" (
  "id" uuid not null,
  "user_id" uuid not null,
  "secret_hash" text not null,
  "created_at" timestamptz(3) not null,
  "last_seen_at" timestamptz(3) not null,
  "expires_at" timestamptz(3) not null,
  primary key ("id")
);
create index "session_user_id_index" on "session" ("user_id");
create table "project_settings" (
  "project_id" uuid not null,
  "version" int not null,
  "settings" jsonb not null,
  "changed_by" uuid null,
  "changed_at" timestamptz(3) not null,
  primary key ("project_id", "version")
);
create table "member" (
  "project_id" uuid not null, "user_id" uuid not null, "role" text not null,
  "created_at" timestamptz(3) not null,
  primary key ("project_id", "user_id")
);
create index "member_user_id_index" on "member" ("user_id");
alter table "member" add constraint "member_role_check" check ("role" in ('reviewer', 'supervisor', 'owner'));
create table "item" (
  "id" uuid not null,
  "project_id" uuid not null,
  "status" text not null,
  "public_status" text null,
  "input" text not null,
  "suggestion" text not null,
  "metadata" text null,
  "confidence" double precision not null,
  "risk_flags" text[] not null,
  "preview" text not null,
  "model" text null,
  "source" text null,
  "rule" text not null,
  "auto_threshold" double precision not null,
  "review_threshold" double precision not null,
  "matched_flags" text[] not null,
  "settings_version" int not null,
  "version" int not null,
  "claimed_by" uuid null,
  "claim_fence" int not null default 0,
  "claim_expires_at" timestamptz(3) null,
  "created_at" timestamptz(3) not null,
  "due_at" timestamptz(3) not null,
  "decided_at" timestamptz(3) null,
  primary key ("id")
);
create index "item_waiting" on "item" ("project_id", "due_at", "id") where "status" in ('queued', 'escalated');
create index "item_claimed" on "item" ("claim_expires_at") where "claim_expires_at" is not null;
create index "item_newest" on "item" ("project_id", "created_at", "id");
alter table "item" add constraint "item_status_check" check ("status" in ('auto_approved', 'queued', 'escalated', 'rejected', 'approved', 'escalated_final'));
alter table "item" add constraint "item_public_status_check" check ("public_status" in ('queued', 'escalated'));
alter table "item" add constraint "item_rule_check" check ("rule" in ('RT1', 'RT2', 'RT3', 'RT4'));
create table "idempotency_key" (
  "project_id" uuid not null,
  "operation" text not null,
  "key" text not null,
  "body_sha256" text not null,
  "item_id" uuid not null,
  "created_at" timestamptz(3) not null,
  primary key ("project_id", "operation", "key")
);
create index "idempotency_key_created_at_index" on "idempotency_key" ("created_at");
create table "delivery" (
  "id" uuid not null,
  "project_id" uuid not null,
  "item_id" uuid not null,
  "webhook_id" text not null,
  "seq" bigint not null,
  "body" text not null,
  "status" text not null,
  "attempt" int not null,
  "next_attempt_at" timestamptz(3) null,
  "lease_until" timestamptz(3) null,
  "claim_token" uuid null,
  "http_status" int null,
  "error" text null,
  "created_at" timestamptz(3) not null,
  "completed_at" timestamptz(3) null,
  primary key ("id")
);
alter table "delivery" add constraint "delivery_webhook_id_unique" unique ("webhook_id");
create index "delivery_due" on "delivery" ("next_attempt_at") where "status" in ('pending', 'sending');
create index "delivery_in_flight" on "delivery" ("item_id", "seq") where "status" in ('pending', 'sending');
create index "delivery_newest" on "delivery" ("project_id", "created_at", "id");
alter table "delivery" add constraint "delivery_status_check" check ("status" in ('pending', 'sending', 'succeeded', 'dead', 'paused', 'cancelled'));
create table "attempt" (
  "delivery_id" uuid not null, "n" int not null, "url" text not null,
  "started_at" timestamptz(3) not null,
  "total_ms" double precision not null,
  "http_status" int null,
  "error" text null,
  "response_text" text null,
  "remote_address" text null,
  primary key ("delivery_id", "n")
);
create table "decision" (
  "id" uuid not null,
  "item_id" uuid not null,
  "project_id" uuid not null,
  "status" text not null,
  "action" text not null,
  "output" text null,
  "edited" boolean not null,
  "reason" text null,
  "note" text null,
  "reviewer_id" uuid null,
  "decided_at" timestamptz(3) not null,
  "undo_until" timestamptz(3) null,
  "final_at" timestamptz(3) null,
  primary key ("id")
);
alter table "decision" add constraint "decision_item_id_unique" unique ("item_id");
create index "decision_provisional" on "decision" ("undo_until") where "final_at" is null;
create index "decision_by_time" on "decision" ("project_id", "decided_at");
alter table "decision" add constraint "decision_status_check" check ("status" in ('approved', 'rejected', 'escalated_final'));
alter table "decision" add constraint "decision_action_check" check ("action" in ('auto_approve', 'approve', 'edit', 'reject', 'finalize'));
create table "learning" (
  "id" uuid not null,
  "project_id" uuid not null,
  "item_id" uuid not null,
  "decision_id" uuid not null,
  "action" text not null,
  "output" text null,
  "reason" text not null,
  "note" text null,
  "reviewer_id" uuid not null,
  "settings_version" int not null,
  "created_at" timestamptz(3) not null,
  primary key ("id")
);
alter table "learning" add constraint "learning_decision_id_unique" unique ("decision_id");
create index "learning_newest" on "learning" ("project_id", "created_at", "id");
alter table "learning" add constraint "learning_action_check" check ("action" in ('edit', 'reject'));
create table "api_key" (
  "id" uuid not null,
  "project_id" uuid not null,
  "name" text not null,
  "hash" text not null,
  "last4" text not null,
  "created_by" uuid null,
  "created_at" timestamptz(3) not null,
  "last_used_at" timestamptz(3) null,
  "revoked_at" timestamptz(3) null,
  primary key ("id")
);
create index "api_key_project_id_index" on "api_key" ("project_id");
alter table "api_key" add constraint "api_key_hash_unique" unique ("hash");
create table "webhook_endpoint" (
  "project_id" uuid not null,
  "state" text not null,
  "current" text not null,
  "next" text null,
  "promote_at" timestamptz(3) null,
  "previous" text null,
  "previous_until" timestamptz(3) null,
  "revealed" boolean not null,
  primary key ("project_id")
);
alter table "webhook_endpoint" add constraint "webhook_endpoint_state_check" check ("state" in ('active', 'paused'));
alter table "event" add constraint "event_project_id_foreign" foreign key ("project_id") references "project" ("id");
alter table "session" add constraint "session_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on delete cascade;
alter table "project_settings" add constraint "project_settings_project_id_foreign" foreign key ("project_id") references "project" ("id");
alter table "project_settings" add constraint "project_settings_changed_by_foreign" foreign key ("changed_by") references "app_user" ("id") on delete set null;
alter table "member" add constraint "member_project_id_foreign" foreign key ("project_id") references "project" ("id") on update cascade on delete cascade;
alter table "member" add constraint "member_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on update cascade on delete cascade;
alter table "item" add constraint "item_project_id_foreign" foreign key ("project_id") references "project" ("id");
alter table "item" add constraint "item_claimed_by_foreign" foreign key ("claimed_by") references "app_user" ("id") on delete set null;
alter table "idempotency_key" add constraint "idempotency_key_project_id_foreign" foreign key ("project_id") references "project" ("id");
alter table "idempotency_key" add constraint "idempotency_key_item_id_foreign" foreign key ("item_id") references "item" ("id") deferrable initially deferred;
alter table "delivery" add constraint "delivery_project_id_foreign" foreign key ("project_id") references "project" ("id");
alter table "delivery" add constraint "delivery_item_id_foreign" foreign key ("item_id") references "item" ("id");
alter table "attempt" add constraint "attempt_delivery_id_foreign" foreign key ("delivery_id") references "delivery" ("id");
alter table "decision" add constraint "decision_item_id_foreign" foreign key ("item_id") references "item" ("id");
alter table "decision" add constraint "decision_project_id_foreign" foreign key ("project_id") references "project" ("id");
alter table "decision" add constraint "decision_reviewer_id_foreign" foreign key ("reviewer_id") references "app_user" ("id") on delete set null;
alter table "learning" add constraint "learning_project_id_foreign" foreign key ("project_id") references "project" ("id");
alter table "learning" add constraint "learning_item_id_foreign" foreign key ("item_id") references "item" ("id");
alter table "learning" add constraint "learning_decision_id_foreign" foreign key ("decision_id") references "decision" ("id") on delete cascade;
alter table "learning" add constraint "learning_reviewer_id_foreign" foreign key ("reviewer_id") references "app_user" ("id");
alter table "api_key" add constraint "api_key_project_id_foreign" foreign key ("project_id") references "project" ("id");
alter table "api_key" add constraint "api_key_created_by_foreign" foreign key ("created_by") references "app_user" ("id") on delete set null;
alter table "webhook_endpoint" add constraint "webhook_endpoint_project_id_foreign" foreign key ("project_id") references "project" ("id") on update cascade on delete cascade
`;

export class Initial extends SchemaChange {
  override up(): void {
    for (const statement of SCHEMA.split(/;\n/)) this.addSql(statement.trim());
  }
}
