// The list of projects as a table: its columns, how each sorts, the filter, and a stable order.
import { atFirstUse } from '#lib/format/at-first-use.ts';
import { DUE_SOON, waitingOf, type WebhookHealth } from '@countersign/shared/figures';
import type { Project } from '@countersign/shared/schemas/projects';

export const COLUMNS = [
  'name',
  'waiting',
  'oldest',
  'reviewing',
  'decided',
  'overridden',
  'expired',
  'webhook',
] as const;
export type Column = (typeof COLUMNS)[number];

/** The sort of the list; null leaves the order of creation, oldest first. */
export interface Sort {
  by: Column;
  descending: boolean;
}

type Row = Pick<Project, 'id' | 'name' | 'summary'>;

/** The most urgent comes first. */
const HEALTH_ORDER = {
  ...{ failing: 0, paused: 1, retrying: 2 },
  ...{ waiting: 3, not_set: 4, healthy: 5 },
} satisfies Record<WebhookHealth, number>;

interface Plan {
  /** The direction of the first click: the largest counts, the oldest ages, names from A. */
  descending: boolean;
  /** Rows without a value stay last in both directions. */
  value: (row: Row) => number | string | null;
}

const PLANS = {
  name: { descending: false, value: ({ name }) => name },
  waiting: { descending: true, value: ({ summary }) => waitingOf(summary) },
  oldest: {
    descending: false,
    value: ({ summary }) => (summary.oldest_at === null ? null : Date.parse(summary.oldest_at)),
  },
  reviewing: { descending: true, value: ({ summary }) => summary.reviewer_count },
  decided: { descending: true, value: ({ summary }) => summary.decided_today },
  overridden: {
    descending: true,
    value: ({ summary }) => (summary.decided_today === 0 ? null : summary.overridden_today / summary.decided_today),
  },
  expired: { descending: true, value: ({ summary }) => summary.expired_today },
  webhook: { descending: false, value: ({ summary }) => HEALTH_ORDER[summary.webhook] },
} as const satisfies Record<Column, Plan>;

/** The sort of a URL: `waiting`, or `-waiting` for descending. */
export function sortOf(asked: string | null): Sort | null {
  const by = COLUMNS.find((column) => column === asked?.replace(/^-/, ''));
  return by === undefined ? null : { by, descending: asked?.startsWith('-') === true };
}

/** The sort after a click on the head of a column: that column, reversed when it is already sorted by it. */
export function clicked(column: Column, sort: Sort | null): Sort {
  return { by: column, descending: sort?.by === column ? !sort.descending : PLANS[column].descending };
}

/** The query of the page with a sort and a filter; defaults are omitted. */
export function addressOf(sort: Sort | null, filter: string): string {
  const query = new URLSearchParams();
  if (filter !== '') query.set('q', filter);
  if (sort !== null) query.set('sort', `${sort.descending ? '-' : ''}${sort.by}`);
  return query.size === 0 ? '' : `?${query}`;
}

/** Ids in the order of a sort; equal rows retain theirs. */
export function sortedIds(rows: readonly Row[], sort: Sort | null): string[] {
  if (sort === null) return rows.map(({ id }) => id);
  const { value } = PLANS[sort.by];
  const valued = rows.map((row) => ({ id: row.id, value: value(row) }));
  return valued.toSorted((one, other) => compare(one.value, other.value, sort.descending)).map(({ id }) => id);
}

const collator = atFirstUse(() => new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' }));

function compare(one: number | string | null, other: number | string | null, descending: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const order =
    typeof one === 'string' || typeof other === 'string'
      ? collator().compare(String(one), String(other))
      : Math.sign(one - other);
  return descending ? -order : order;
}

/** A stable order: figures change in place, removed rows leave, new ones come last. */
export function settled(order: readonly string[], rows: readonly Row[]): string[] {
  const here = new Set(rows.map(({ id }) => id));
  const known = order.filter((id) => here.has(id));
  return [...known, ...rows.map(({ id }) => id).filter((id) => !known.includes(id))];
}

/** The rows whose name contains the filter's words, in any order, ignoring case and accents. */
export function matching<T extends Pick<Row, 'name'>>(rows: readonly T[], filter: string): T[] {
  const wanted = plain(filter).split(/\s+/).filter(Boolean);
  return rows.filter(({ name }) => wanted.every((word) => plain(name).includes(word)));
}

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();

/** How near the oldest item is to its target: due soon, or past due. */
export function ageState(ageMs: number, targetMinutes: number): 'fine' | 'due' | 'past' {
  const part = ageMs / (targetMinutes * 60_000);
  return part >= 1 ? 'past' : part >= DUE_SOON ? 'due' : 'fine';
}
