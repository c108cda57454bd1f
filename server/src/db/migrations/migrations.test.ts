// What the processes of the version before can live with while they are replaced, and a busy table while it is changed.
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from './list.ts';
import type { SchemaChange } from './schema-change.ts';

/** Up to here nobody had the service running when it was upgraded. */
const LAST_BEFORE = '0019-regression-keys';

/** Known to break the version before; docs/OPERATIONS.md says what to do. */
const BREAKING = ['0042-endpoints-key'];

/** What takes something from processes that still use it, or holds a table for as long as it is large. */
const RULES: readonly { fits: RegExp; say: string }[] = [
  { fits: /\bdrop (table|column)\b/i, say: 'drop it one version after the last that uses it' },
  { fits: /\brename\b/i, say: 'add the new name, write both, drop the old one a version later' },
  { fits: /\balter column\b.*\b(type|set not null)\b/i, say: 'add a column, fill it in batches, use it' },
  { fits: /\badd column\b(?!.*\bdefault\b).*\bnot null\b/i, say: 'an older process writes rows without it' },
  { fits: /\bcreate (unique )?index\b(?! concurrently)/i, say: 'build it concurrently, in a step of its own' },
  {
    fits: /\badd constraint\b(?!.*\b(not valid|using index)\b)/i,
    say: 'add it not valid, or using an index, then validate it',
  },
  {
    fits: /\bdrop constraint "\w+_pkey"/i,
    say: 'an older process groups by it alone, or names it in "on conflict": its statements would fail',
  },
  { fits: /^\s*(update|delete)\b/i, say: 'change rows in batches, by a worker' },
];

interface Step {
  statements: readonly string[];
  /** Tables it makes itself: nobody uses them yet. */
  transactional: boolean;
}

/** Why the version before, or a large table, would not survive this step; empty when they do. */
function troubles({ statements, transactional }: Step): string[] {
  const made = statements.flatMap((text) => /create table "(\w+)"/i.exec(text)?.[1] ?? []);
  const old = statements.filter((text) => !made.some((table) => text.includes(` "${table}"`)));
  const found = old.flatMap((text) => RULES.filter(({ fits }) => fits.test(text)).map(({ say }) => `${text}: ${say}`));
  const online = statements.filter((text) => /\bconcurrently\b/i.test(text));
  if (online.length > 0 && transactional) found.push('concurrently is for a step that is no transaction');
  if (online.length < statements.length && !transactional) found.push('what can be a transaction is a step of its own');
  const tables = new Set(old.flatMap((text) => /alter table "(\w+)"/i.exec(text)?.[1] ?? []));
  if (tables.size > 1)
    found.push('one table in a step: who holds one of them while they wait for the other meets it crosswise');
  return found;
}

/** Without a database: it says what it would do. */
const newOf = (Made: unknown): SchemaChange => new (Made as new () => SchemaChange)();

const inOne = (...statements: string[]): Step => ({ statements, transactional: true });
const beside = (...statements: string[]): Step => ({ statements, transactional: false });

describe('a change of the schema', () => {
  it.each([
    inOne('alter table "item" add column "a" text null'),
    inOne(`alter table "item" add column "a" boolean not null default false`),
    inOne('create table "a" ("id" uuid not null)', 'create index "a_id" on "a" ("id")'),
    inOne('alter table "item" add constraint "a" check ("b" > 0) not valid'),
    inOne('alter table "item" drop constraint "a"'),
    beside('drop index concurrently if exists "a"', 'create index concurrently "a" on "item" ("b")'),
  ])('a running process survives the step %j', (step) => expect(troubles(step)).toEqual([]));

  it.each([
    inOne('alter table "item" drop column "a"'),
    inOne('drop table "a"'),
    inOne('alter table "item" rename column "a" to "b"'),
    inOne('alter table "item" alter column "a" set not null'),
    inOne('alter table "item" alter column "a" type bigint'),
    inOne('alter table "item" add column "a" text not null'),
    inOne('create index "a" on "item" ("b")'),
    inOne('create unique index "a" on "item" ("b")'),
    inOne('alter table "item" add constraint "a" check ("b" > 0)'),
    inOne(`update "item" set "a" = 1`),
    inOne('create index concurrently "a" on "item" ("b")'),
    inOne('alter table "item" drop constraint "item_pkey"'),
    inOne('alter table "project" add column "a" text null', 'alter table "item" add column "a" text null'),
    beside('alter table "item" add column "a" text null'),
  ])('is not survived: %j', (step) => expect(troubles(step)).toHaveLength(1));

  it('is survived, each of them since the service is in use', () => {
    const since = MIGRATIONS.filter(({ name }) => name > LAST_BEFORE && !BREAKING.includes(name));
    for (const { name, class: Made } of since) {
      const step = newOf(Made);
      void step.up();
      const statements = step.getQueries().map(String);
      expect(troubles({ statements, transactional: step.isTransactional() }), name).toEqual([]);
    }
  });

  it('waits for no lock longer than those behind it can', () => {
    for (const { class: Made } of MIGRATIONS) {
      const step = newOf(Made);
      expect(step.getQueries()).toEqual(step.isTransactional() ? [`set local lock_timeout = '2s'`] : []);
    }
  });
});
