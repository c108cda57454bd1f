// Which browser a session was opened in, for the list of a person's sessions.
import { SchemaChange } from './schema-change.ts';

export class SessionDevice extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "session" add column "device" text null`);
  }
}
