// Schemas for answers (TS): stored once per project and digest; the project's own, and that of each item.
import { SchemaChange } from './schema-change.ts';

export class AnswerSchemas extends SchemaChange {
  override up(): void {
    this.addSql(
      'create table "answer_schema" ("project_id" uuid not null, "digest" text not null, "text" text not null, "created_at" timestamptz(3) not null, primary key ("project_id", "digest"))',
    );
    this.addSql(
      'alter table "answer_schema" add constraint "answer_schema_project_id_foreign" foreign key ("project_id") references "project" ("id")',
    );
    this.addSql(
      'alter table "project" add column "answer_schema" text null, add column "answer_schema_digest" text null',
    );
  }
}

export class ItemAnswerSchemas extends SchemaChange {
  override up(): void {
    this.addSql('alter table "item" add column "answer_schema" text null, add column "suggestion_faults" text null');
    // What is stored already keeps to the narrower check: nothing has to be read again.
    this.addSql('alter table "item" drop constraint "item_rule_check"');
    this.addSql(
      `alter table "item" add constraint "item_rule_check" check ("rule" in ('RT1', 'RT2', 'RT3', 'RT4', 'RT7', 'RT8')) not valid`,
    );
  }
}

/** Whether an item names a schema is asked before the schema is deleted. */
export class ItemAnswerSchemasIndex extends SchemaChange {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists "item_answer_schema"');
    this.addSql(
      'create index concurrently "item_answer_schema" on "item" ("project_id", "answer_schema") where "answer_schema" is not null',
    );
  }
}
