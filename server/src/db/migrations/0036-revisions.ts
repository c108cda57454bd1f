// Revisions of final decisions (RV): columns with defaults that old rows keep, and the indexes of chains.
import { SchemaChange } from './schema-change.ts';

abstract class ConcurrentChange extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }
}

export class DecisionRevisions extends SchemaChange {
  override up(): void {
    this.addSql(
      'alter table "decision" add column "revision" int not null default 1, add column "revises" uuid null, add column "superseded_at" timestamptz(3) null',
    );
  }
}

export class LearningRevisions extends SchemaChange {
  override up(): void {
    this.addSql(
      'alter table "learning" add column "revision" int not null default 1, add column "superseded" boolean not null default false',
    );
  }
}

/** At most one first decision of an item, and one of each revision; nothing is revised twice (I1). */
export class DecisionChains extends ConcurrentChange {
  override up(): void {
    this.addSql('drop index concurrently if exists "decision_of_chain"');
    this.addSql('create unique index concurrently "decision_of_chain" on "decision" ("item_id", "audit", "revision")');
    this.addSql('drop index concurrently if exists "decision_revises"');
    this.addSql(
      'create unique index concurrently "decision_revises" on "decision" ("revises") where "revises" is not null',
    );
  }
}

/** The new index holds a first decision to one as well, for processes of the version before too. */
export class OneDecisionNoMore extends SchemaChange {
  override up(): void {
    this.addSql('alter table "decision" drop constraint "decision_of_item"');
  }
}

/** Figures of people's work count first decisions (RV7). */
export class FirstDecisions extends ConcurrentChange {
  override up(): void {
    this.addSql('drop index concurrently if exists "decision_first_by_people"');
    this.addSql(
      'create index concurrently "decision_first_by_people" on "decision" ("project_id", "decided_at") include ("action") where "reviewer_id" is not null and "revision" = 1',
    );
    this.addSql('drop index concurrently if exists "decision_first_of_person"');
    this.addSql(
      'create index concurrently "decision_first_of_person" on "decision" ("reviewer_id", "decided_at") include ("action") where "reviewer_id" is not null and "revision" = 1',
    );
    this.addSql('drop index concurrently if exists "decision_by_people"');
    this.addSql('drop index concurrently if exists "decision_of_person"');
  }
}

/** The catch-up feed reads revisions, and exports read those that override. */
export class RevisionEvents extends ConcurrentChange {
  override up(): void {
    this.addSql('drop index concurrently if exists "event_revised"');
    this.addSql(
      `create index concurrently "event_revised" on "event" ("project_id", "seq") where "type" = 'decision.revised' and "seq" is not null`,
    );
    this.addSql('drop index concurrently if exists "event_final_override"');
    this.addSql(
      `create index concurrently "event_final_override" on "event" ("project_id", "seq") where "type" in ('item.finalized', 'decision.revised') and "data" ->> 'action' in ('edit', 'reject', 'respond')`,
    );
    this.addSql('drop index concurrently if exists "event_of_override"');
  }
}

/** The pipeline sees an audited item as approved automatically, until its decision is revised (RV4). */
export class RevisedStatuses extends ConcurrentChange {
  override up(): void {
    this.addSql('drop index concurrently if exists "item_newest_by_shown_status"');
    this.addSql(
      `create index concurrently "item_newest_by_shown_status" on "item" ("project_id", (case when "audit" and "status" not in ('approved', 'rejected') then 'auto_approved' else coalesce("public_status", "status") end), "created_at", "id")`,
    );
    this.addSql('drop index concurrently if exists "item_newest_by_public_status"');
  }
}
