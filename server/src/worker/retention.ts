// Deletes or redacts data past its retention period (KE1 to KE4), in batches along the event log of each project.
import { DatabaseGone } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { ATTEMPTS, deleteItems, type DeletedEvents, LEARNINGS, NOTHING_DELETED } from '../db/retention/delete-items.ts';
import { deleteUnusedSchemas } from '../db/retention/unused-schemas.ts';
import {
  isDeletable,
  cutoffOf,
  type RetentionItem,
  type RetentionKind,
  expiredPrefix,
} from '../domain/items/retention.ts';
import { retentionKindOf, storedRetentionKind, type StoredRetentionKind } from '../domain/stored-names.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Polling interval, in milliseconds. */
export const RETENTION_POLL_MS = 10 * 60_000;
/** The minimum time between the starts of two batches, in milliseconds: years of old data must not slow down users. */
export const RETENTION_GAP_MS = 100;
/** Events that one transaction checks. */
const BATCH_SIZE = 500;

/** How long a failed task is paused, in milliseconds, while the others continue. */
const REST_MS = RETENTION_POLL_MS;

export interface RetentionJob {
  /**
   * Runs one batch of one kind of one project. Several workers may run it concurrently: only one has the next batch of
   * a task. Errors: those of the batch; its task is paused then, and the next run continues with the others.
   */
  runOnce(batchSize?: number): Promise<Next>;
}

export function createRetentionJob(services: Services): RetentionJob {
  /** Until when, in ms, by the clock of this process. */
  const resting = new Map<string, number>();
  const runNextTask = async (under: { task: RetentionTask | null }, batchSize: number): Promise<Next> => {
    const restedBy = services.clock.now().getTime();
    for (const [name, until] of resting) if (until <= restedBy) resting.delete(name);
    const done = await services.db.write(async ({ em }) => {
      const now = await databaseTime(em);
      under.task = await nextRetentionTask(em, now, [...resting.keys()]);
      return under.task === null ? null : runTask(em, under.task, { now, batchSize });
    });
    if (done === null || under.task === null)
      return { at: resting.size === 0 ? null : new Date(Math.min(...resting.values())) };
    const { projectId } = under.task;
    const { items, schemas } = done;
    if (schemas.length > 0) await services.db.write(({ em }) => deleteUnusedSchemas(em, projectId, schemas));
    services.log.debug({ ...named(under.task), items }, 'expired data was deleted');
    return { again: true };
  };
  return {
    runOnce: async (batchSize = BATCH_SIZE) => {
      const under: { task: RetentionTask | null } = { task: null };
      try {
        return await runNextTask(under, batchSize);
      } catch (error) {
        const { task } = under;
        // An unreachable database is not the fault of this task.
        if (task !== null && !(error instanceof DatabaseGone)) {
          resting.set(nameOf(task), services.clock.now().getTime() + REST_MS);
          services.log.error(named(task), 'could not delete expired data; retrying in ten minutes');
        }
        throw error;
      }
    },
  };
}

const named = (task: RetentionTask | null) => ({ project: task?.projectId, kind: task?.kind });

/** Returns the number of items with deleted data, and the digests of schemas that these named. */
async function runTask(
  em: Em,
  task: RetentionTask,
  at: { now: Date; batchSize: number },
): Promise<{ items: number; schemas: string[] }> {
  const { through, itemIds } = await readExpiredEvents(em, task, at);
  if (through === null) return { items: 0, schemas: [] };
  const candidates = await lockItems(em, itemIds, through);
  const ids = candidates.filter((item) => isDeletable(task.kind, item)).map(({ id }) => id);
  const schemas = task.kind === 'attempts' || ids.length === 0 ? [] : await schemasOf(em, ids);
  await note(em, task, { through, ...(await deleteExpired(em, task.kind, { ids, now: at.now })) });
  return { items: ids.length, schemas };
}

/** The digests of the answer schemas of these items. */
async function schemasOf(em: Em, itemIds: readonly string[]): Promise<string[]> {
  const rows = await rawQuery<{ digest: string }>(
    em,
    'select distinct answer_schema as digest from item where id = any($1::uuid[]) and answer_schema is not null',
    [`{${itemIds.join(',')}}`],
  );
  return rows.map(({ digest }) => digest);
}

async function note(
  em: Em,
  { projectId, kind }: RetentionTask,
  { through, events, until }: DeletedEvents & { through: number },
): Promise<void> {
  await rawQuery(
    em,
    `update keeping set through_seq = $3, facts_gone = facts_gone + $4, gone_until = greatest(gone_until, $5::timestamptz)
     where project_id = $1 and kind = $2`,
    [projectId, storedRetentionKind(kind), through, events, until],
  );
}

/** One kind of data of one project, and the progress of its retention. */
interface RetentionTask {
  projectId: string;
  kind: RetentionKind;
  days: number;
  /** Events up to here were checked. */
  after: number;
  /** Events above this are not counted yet (I9), so they wait. */
  counted: number;
}

/** Identifies a task, as `NAME` does in SQL. */
const nameOf = ({ projectId, kind }: Pick<RetentionTask, 'projectId' | 'kind'>): string =>
  `${projectId} ${storedRetentionKind(kind)}`;

const NAME = `p.id || ' ' || k.kind`;

/** $1: now; $2: names of paused tasks. Selects the task whose next event is the oldest. */
const NEXT = `
  select p.id as project_id, k.kind, k.days, coalesce(m.through_seq, 0) as through_seq, p.rollup_seq
  from project p
  cross join lateral (values ('attempts', p.keep_attempts_days), ('payloads', p.keep_payloads_days), ('ledger', p.keep_ledger_days)) k(kind, days)
  left join keeping m on m.project_id = p.id and m.kind = k.kind
  cross join lateral (
    select e.created_at from event e where e.project_id = p.id and e.seq > coalesce(m.through_seq, 0) and e.seq <= p.rollup_seq
    order by e.seq limit 1
  ) first
  where p.deleted_at is null and k.days is not null and ${NAME} <> all($2::text[])
    and first.created_at < $1::timestamptz - make_interval(hours => k.days * 24)
  order by first.created_at, p.id, k.kind limit 1`;

interface RetentionTaskRow {
  project_id: string;
  kind: StoredRetentionKind;
  days: number;
  through_seq: string;
  rollup_seq: string;
}

/**
 * Null when nothing has expired except in `resting` tasks, or another worker holds it. Locks this kind of the project
 * until the transaction ends.
 */
async function nextRetentionTask(em: Em, now: Date, resting: readonly string[]): Promise<RetentionTask | null> {
  const [row] = await rawQuery<RetentionTaskRow>(em, NEXT, [now, resting]);
  if (row === undefined) return null;
  const place = [row.project_id, row.kind];
  await rawQuery(em, 'insert into keeping (project_id, kind) values ($1, $2) on conflict do nothing', place);
  const [held] = await rawQuery<Pick<RetentionTaskRow, 'through_seq' | 'rollup_seq'>>(
    em,
    `select k.through_seq, p.rollup_seq from keeping k join project p on p.id = k.project_id
     where k.project_id = $1 and k.kind = $2 for update of k skip locked`,
    place,
  );
  if (held === undefined) return null;
  const [after, counted] = [Number(held.through_seq), Number(held.rollup_seq)];
  return { projectId: row.project_id, kind: retentionKindOf(row.kind), days: Number(row.days), after, counted };
}

/** $1: the project; $2, $3: above and up to which `seq`; $4: how many. */
const NEXT_EVENTS = `
  select e.seq, e.created_at, coalesce(e.item_id, l.item_id, (e.data -> 'learning' ->> 'item_id')::uuid) as item_id
  from (select * from event where project_id = $1 and seq > $2 and seq <= $3 order by seq limit $4) e
  left join learning l on e.item_id is null and l.id = (e.data -> 'learning' ->> 'id')::uuid
  order by e.seq`;

/** The next expired events; `through` is null when there are none. */
async function readExpiredEvents(
  em: Em,
  { projectId, days, after, counted }: RetentionTask,
  { now, batchSize }: { now: Date; batchSize: number },
): Promise<ReturnType<typeof expiredPrefix>> {
  const rows = await rawQuery<{ seq: string; created_at: string | Date; item_id: string | null }>(em, NEXT_EVENTS, [
    ...[projectId, after, counted, batchSize],
  ]);
  const events = rows.map((row) => ({ seq: Number(row.seq), at: new Date(row.created_at), itemId: row.item_id }));
  return expiredPrefix(events, cutoffOf(now, days));
}

/**
 * An item that waits for a decision is not completed, and retention must not block its reviewer. A concurrent report of a mistake
 * in a decision (MR1) is waited for.
 */
const LOCK_ITEMS = `
  select id from item where id = any($1::uuid[]) and status not in ('queued', 'escalated') and public_status is null
  order by id for no key update`;

/** A concurrent reopen, replay or inclusion of a learning waits, and then finds what is left. */
const LOCK = [
  `select 1 from delivery where item_id = any($1::uuid[]) and status in ('succeeded', 'dead', 'cancelled') order by id for update`,
  'select 1 from learning where item_id = any($1::uuid[]) and excluded order by id for update',
];

/** $1: items; $2: up to which `seq` events were checked. An event about a learning counts for its item. */
const ITEM_STATES = `
  select i.id, i.status, i.emptied_at is not null as redacted,
    exists (select 1 from decision d where d.item_id = i.id and d.final_at is null) as provisional,
    exists (select 1 from delivery w where w.item_id = i.id and w.status not in ('succeeded', 'dead', 'cancelled')) as under_way,
    exists (select 1 from event e where e.item_id = i.id and (e.seq is null or e.seq > $2))
      or exists (select 1 from learning l join event e on e.data -> 'learning' ->> 'id' = l.id::text
        where l.item_id = i.id and e.type = 'project.changed' and e.data -> 'learning' is not null
          and (e.seq is null or e.seq > $2)) as goes_on,
    exists (select 1 from learning l where l.item_id = i.id and not l.excluded and not l.superseded) as quoted
  from item i where i.id = any($1::uuid[])`;

type ItemStateRow = Omit<RetentionItem, 'underWay' | 'hasLaterEvents'> & {
  id: string;
  under_way: boolean;
  goes_on: boolean;
};

/** The state of those items that may be completed, each locked until the transaction ends. */
async function lockItems(
  em: Em,
  itemIds: readonly string[],
  through: number,
): Promise<(RetentionItem & { id: string })[]> {
  if (itemIds.length === 0) return [];
  const held = await rawQuery<{ id: string }>(em, LOCK_ITEMS, [`{${itemIds.join(',')}}`]);
  const ids = `{${held.map(({ id }) => id).join(',')}}`;
  for (const lock of LOCK) await rawQuery(em, lock, [ids]);
  const rows = await rawQuery<ItemStateRow>(em, ITEM_STATES, [ids, through]);
  return rows.map(({ under_way: underWay, goes_on: hasLaterEvents, ...row }) => ({ ...row, underWay, hasLaterEvents }));
}

/** IDs, times, statuses, reasons and numbers stay: figures, history and the delivery log continue to work. */
const REDACT = [
  // An exclusion of its learning revisits the item when it is deleted itself: by then the learning no longer names its
  // item.
  `update event e set data = jsonb_set(e.data, '{learning,item_id}', to_jsonb(l.item_id)) from learning l
   where l.item_id = any($1::uuid[]) and e.type = 'project.changed' and e.data -> 'learning' is not null and e.data -> 'learning' ->> 'id' = l.id::text`,
  LEARNINGS,
  'update decision set output = null, note = null, response = null where item_id = any($1::uuid[])',
  'update mistake_report set note = null where item_id = any($1::uuid[])',
  `update delivery set body = '' where item_id = any($1::uuid[])`,
  `update attempt set response_text = null, response_headers = null
   where delivery_id in (select id from delivery where item_id = any($1::uuid[]))`,
  // A queue row shows the title, the beginning of the input, and for whom a value of the metadata reserved the item; so does the
  // event that carried it.
  `update event set data = jsonb_set(jsonb_set(jsonb_set(jsonb_set(jsonb_set(data, '{item,preview}', '""', false), '{audited,preview}', '""', false),
     '{item,title}', 'null', false), '{audited,title}', 'null', false), '{note}', 'null', false)
     #- '{item,reserved}' #- '{audited,reserved}'
   where item_id = any($1::uuid[]) and (data -> 'item' is not null or data -> 'audited' is not null or data ->> 'note' is not null)`,
];

/** `$2`: when. */
const REDACT_ITEMS = `
  update item set input = 'null', suggestion = 'null', metadata = null, preview = '', title = null, answer_schema = null,
    was_invalid = suggestion_faults is not null, suggestion_faults = null,
    reserved_for = null, reserved_until = null, emptied_at = $2 where id = any($1::uuid[])`;

/**
 * Deletes this kind of data of items that the transaction of `em` has locked. `now` is when their content was redacted.
 */
async function deleteExpired(
  em: Em,
  kind: RetentionKind,
  { ids, now }: { ids: string[]; now: Date },
): Promise<DeletedEvents> {
  if (ids.length === 0) return NOTHING_DELETED;
  const items = `{${ids.join(',')}}`;
  const run = async (texts: readonly string[]) => {
    for (const text of texts) await rawQuery(em, text, [items]);
  };
  if (kind === 'attempts') await run([ATTEMPTS]);
  if (kind === 'payloads') {
    await run(REDACT);
    await rawQuery(em, REDACT_ITEMS, [items, now]);
  }
  if (kind !== 'items') return NOTHING_DELETED;
  return deleteItems(em, ids);
}
