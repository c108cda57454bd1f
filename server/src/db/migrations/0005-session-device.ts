// Which browser a session was opened in, for the list of a person's sessions.
import { Migration } from '@mikro-orm/migrations';

export class SessionDevice extends Migration {
  override up(): void {
    this.addSql(`alter table "session" add column "device" text null`);
  }
}
