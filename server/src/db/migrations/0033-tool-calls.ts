// Titles, tool calls, allowed actions and answers in words (TC, LC7, TS5): columns with defaults that old rows keep.
import { SchemaChange } from './schema-change.ts';

export class ToolCalls extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "item" add column "title" text null, add column "kind" text not null default 'answer', add column "allowed_actions" text[] null, add column "has_suggestion" boolean not null default true`,
    );
    this.addSql(
      `alter table "item" add constraint "item_kind_check" check ("kind" in ('answer', 'tool_call')) not valid`,
    );
  }
}

/** Every stored row keeps to the narrower check: nothing has to be read again. */
export class DecisionResponses extends SchemaChange {
  override up(): void {
    this.addSql('alter table "decision" add column "response" text null');
    this.addSql('alter table "decision" drop constraint "decision_action_check"');
    this.addSql(
      `alter table "decision" add constraint "decision_action_check" check ("action" in ('auto_approve', 'approve', 'edit', 'reject', 'respond', 'finalize')) not valid`,
    );
  }
}

export class LearningResponses extends SchemaChange {
  override up(): void {
    this.addSql('alter table "learning" add column "response" text null');
    this.addSql('alter table "learning" drop constraint "learning_action_check"');
    this.addSql(
      `alter table "learning" add constraint "learning_action_check" check ("action" in ('edit', 'reject', 'respond')) not valid`,
    );
  }
}

export class CaseFaults extends SchemaChange {
  override up(): void {
    this.addSql('alter table "regression_case" add column "faults" text null');
  }
}

/** Exports and their preview read final overrides, which answers in words are too. */
export class OverridesWithResponses extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "event_of_override"');
    this.addSql(
      `create index concurrently "event_of_override" on "event" ("project_id", "seq") where "type" = 'item.finalized' and "data" ->> 'action' in ('edit', 'reject', 'respond')`,
    );
    this.addSql('drop index concurrently if exists "event_override"');
  }
}
