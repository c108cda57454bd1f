// Stores in which message a rule last spoke, and from when that message counts passed deadlines.
import { SchemaChange } from './schema-change.ts';

/** Unknown for rules that spoke before. */
export class ReplacedReminders extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "notification_rule" add column "message_id" uuid null, add column "counted_from" timestamptz(3) null`,
    );
  }
}
