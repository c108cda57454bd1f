// Project settings for media: hosts, flags whose pictures start covered, and content kinds by pointer.
import { SchemaChange } from './schema-change.ts';

export class Media extends SchemaChange {
  override up(): void {
    this.addSql(`alter table "project" add column "media_hosts" text[] not null default '{}'`);
    this.addSql(`alter table "project" add column "sensitive_flags" text[] not null default '{}'`);
    this.addSql(`alter table "project" add column "sensitive_pictures" text not null default 'blur'`);
    this.addSql(
      `alter table "project" add constraint "project_sensitive_pictures_check" check ("sensitive_pictures" in ('grey', 'blur')) not valid`,
    );
    this.addSql('alter table "project" validate constraint "project_sensitive_pictures_check"');
    this.addSql(`alter table "project" add column "content_kinds" jsonb not null default '{}'`);
  }
}
