// A reason waits for its cluster (CT4) after the decision that gave it, and is compared with its nearest alone.
import { SchemaChange } from './schema-change.ts';

export class Placing extends SchemaChange {
  override up(): void {
    this.addSql('create extension if not exists btree_gist');
    this.addSql('alter table "wording" alter column "cluster_id" drop not null');
    this.addSql('alter table "wording" add column "stood_in" uuid null');
  }
}

/** By project and nearness, so that one project's reasons are never in the way of another's. */
export class PlacingIndexes extends SchemaChange {
  override isTransactional = () => false;

  override up(): void {
    this.#again(
      'wording_waiting',
      `create index concurrently "wording_waiting" on "wording" ("created_at") where "cluster_id" is null`,
    );
    this.#again(
      'wording_same',
      `create index concurrently "wording_same" on "wording" ("project_id", (left("key", 200)), "placed_by_hand" desc, "created_at", "id") where "cluster_id" is not null`,
    );
    this.#again(
      'wording_nearest',
      `create index concurrently "wording_nearest" on "wording" using gist ("project_id", (left("key", 200)) gist_trgm_ops (siglen = 64)) where "cluster_id" is not null`,
    );
    this.addSql('drop index concurrently if exists "wording_close"');
  }

  /** One that was broken off stays behind as invalid. */
  #again(name: string, sql: string): void {
    this.addSql(`drop index concurrently if exists "${name}"`);
    this.addSql(sql);
  }
}
