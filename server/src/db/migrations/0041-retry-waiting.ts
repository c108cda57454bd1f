// A replay may also make all pending deliveries of a project due now.
import { SchemaChange } from './schema-change.ts';

export class RetryWaiting extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "replay" drop constraint "replay_status_check"`);
    this.addSql(
      `alter table "replay" add constraint "replay_status_check" check ("status" in ('succeeded', 'dead', 'pending')) not valid`,
    );
  }
}
