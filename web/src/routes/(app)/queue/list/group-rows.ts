// Lists rows in groups: by first flag, project, or model. Groups are in the order of their names.
import type { Entry, QueueGroup } from '#lib/live/queue/queue-model.ts';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { orderMessages as text } from './order-messages.ts';

/** The value that the rows of a group have in common; null for none. */
const VALUES: Record<QueueGroup, (row: ItemRow) => string | null> = {
  flag: ({ risk_flags: [flag] }) => flag ?? null,
  project: ({ project_id }) => project_id,
  model: ({ model, source }) => model ?? source,
};

/** The title of a group, above its first row: what its rows have in common, how many there are, and what that number counts. */
export interface GroupTitle {
  readonly name: string;
  readonly count: string;
  readonly hint: string;
}

/** Rows group by group, with the title of each group by the ID of its first row. */
export interface GroupedRows {
  readonly entries: readonly Entry[];
  readonly titles: ReadonlyMap<string, GroupTitle>;
}

/** Names the value of a group, and says whether all rows of the list are loaded. */
interface Known {
  readonly nameOf: (value: string) => string;
  readonly complete: boolean;
}

/**
 * Groups rows, which stay in their order within each group. The order of the groups depends on their names alone, so that no
 * arrival moves one; rows without a value come last.
 */
export const groupBy =
  (group: QueueGroup, { nameOf, complete }: Known) =>
  (entries: readonly Entry[]): GroupedRows => {
    const groups = new Map<string | null, Entry[]>();
    for (const entry of entries) {
      const value = VALUES[group](entry.row);
      const members = groups.get(value);
      if (members === undefined) groups.set(value, [entry]);
      else members.push(entry);
    }
    const compare = (a: string, b: string) => nameOf(a).localeCompare(nameOf(b)) || (a < b ? -1 : 1);
    const sorted = [...groups].sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : compare(a, b)));
    const titles = new Map<string, GroupTitle>();
    for (const [value, members] of sorted) {
      const waiting = members.filter(({ removal }) => removal === null).length;
      const name = (value !== null && nameOf(value)) || text.none[group];
      titles.set(members[0]?.id ?? '', { name, count: text.counted(waiting, complete), hint: text.countHint[group] });
    }
    return { entries: sorted.flatMap(([, members]) => members), titles };
  };
