// Checks I2, I6 and I9: the items of idempotency keys, the sequence numbers of event logs, and the rollups.
import { recount } from '../analytics/recount.ts';
import type { Orm } from '../db/orm.ts';
import { REFUSED } from '../db/submit-batch.ts';
import { rawQuery } from '../db/raw-query.ts';
import type { Check, Read } from './check.ts';

/** Every project that is not being deleted. */
export const projectIds = (read: Read): Promise<{ id: string }[]> =>
  read((em) => rawQuery(em, 'select id from project where deleted_at is null order by id', []));

/**
 * Items from before `gone_until` may have been deleted, and their keys stay taken (KE4). An item that was refused because of its
 * deadline (DL6) was not returned.
 */
const KEYS = `
  select k.project_id, k.operation, k.key, m.item_id, i.id is null as missing
  from idempotency_key k join project p on p.id = k.project_id and p.deleted_at is null
  cross join lateral unnest(k.item_ids) as m(item_id)
  left join item i on i.id = m.item_id and i.project_id = k.project_id
  left join keeping g on g.project_id = k.project_id and g.kind = 'ledger'
  where i.id is null and m.item_id <> '${REFUSED}' and k.created_at > coalesce(g.gone_until, '-infinity')`;

/** What was answered with 2xx has at least one item: a submission one, a batch those that it had. */
const EMPTY_KEYS = `
  select k.project_id, k.key from idempotency_key k join project p on p.id = k.project_id and p.deleted_at is null
  where k.item_ids = '{}'`;

export const checkKeys: Check = {
  of: 'idempotency keys',
  rules: ['I2'],
  run: async (read, report) => {
    const empty = await read((em) => rawQuery<Record<'project_id' | 'key', string>>(em, EMPTY_KEYS, []));
    for (const { project_id: project, key } of empty)
      report({ rule: 'I2', says: `key ${key} of project ${project}: it names no item` });
    const lost = await read((em) => rawQuery<Record<'project_id' | 'key' | 'item_id', string>>(em, KEYS, []));
    for (const { project_id: project, key, item_id: item } of lost)
      report({ rule: 'I2', says: `key ${key} of project ${project}: item ${item} was returned and does not exist` });
    const [size] = await read((em) =>
      rawQuery<{ n: number }>(em, 'select count(*)::int as n from idempotency_key', []),
    );
    return size?.n ?? 0;
  },
};

const NUMBERS = `
  select p.event_seq::bigint as head, count(e.seq) as n, coalesce(min(e.seq), 0) as least, coalesce(max(e.seq), 0) as most,
    coalesce((select facts_gone from keeping where project_id = p.id and kind = 'ledger'), 0) as gone
  from project p left join event e on e.project_id = p.id and e.seq is not null where p.id = $1 group by p.id`;

/**
 * `seq` runs from 1 to the project's `event_seq` without a repeat, and without a
 * gap except for events deleted with their items (KE4).
 */
export const checkNumbers: Check = {
  of: 'events',
  rules: ['I6'],
  run: async (read, report, onProgress) => {
    let examined = 0;
    for (const { id } of await projectIds(read)) {
      const [row] = await read((em) => rawQuery<{ [Figure in keyof Numbers]: string }>(em, NUMBERS, [id]));
      if (row === undefined) continue;
      const numbers = {
        ...{ head: Number(row.head), n: Number(row.n), gone: Number(row.gone) },
        ...{ least: Number(row.least), most: Number(row.most) },
      };
      if (!addUp(numbers)) report({ rule: 'I6', says: `project ${id}: ${sentenceOf(numbers)}` });
      onProgress((examined += numbers.n));
    }
    return examined;
  },
};

interface Numbers {
  /** The last sequence number of the event log. */
  head: number;
  n: number;
  least: number;
  most: number;
  gone: number;
}

function addUp({ head, n, least, most, gone }: Numbers): boolean {
  if (gone > 0) return n + gone === head && most <= head;
  return n === head && most === head && least === Math.min(1, head);
}

const sentenceOf = ({ head, n, least, most, gone }: Numbers): string =>
  `${n} events from ${least} to ${most}${gone > 0 ? `, ${gone} deleted` : ''}, and its event log ends at ${head}`;

/** I9, checked as `npm run rollups -- check` does. */
export const checkFigures = (orm: Orm): Check => ({
  of: 'figures',
  rules: ['I9'],
  run: async (read, report, onProgress) => {
    let examined = 0;
    for (const { id } of await projectIds(read)) {
      const result = await recount(orm, id);
      if (result !== null && result.counted > result.head) {
        const says = `project ${id}: its rollups have counted up to ${result.counted}, and its event log ends at ${result.head}`;
        report({ rule: 'I9', says });
      }
      for (const { measure, key, grain, at, stored, recounted } of result?.differences ?? []) {
        const figures = `${stored.join('/')} stored, ${recounted.join('/')} counted`;
        report({ rule: 'I9', says: `project ${id}: ${measure} “${key}” in the ${grain} of ${at}: ${figures}` });
      }
      onProgress((examined += result?.figures ?? 0));
    }
    return examined;
  },
});
