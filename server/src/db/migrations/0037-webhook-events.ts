// The events that webhook and feed of a project carry (WE1). Existing projects get all, as until now.
import { SchemaChange } from './schema-change.ts';

export class WebhookEvents extends SchemaChange {
  override up(): void {
    this.addSql(
      `alter table "project" add column "webhook_events" text[] not null default '{item.decided,item.expired,item.withdrawn,decision.revised}'`,
    );
  }
}
