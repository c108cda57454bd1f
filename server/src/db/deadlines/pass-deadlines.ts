// Does what deadlines say to items that wait (DL1): rows are locked, judged by the rule, and moved once (DL4).
import type { OnDeadline, OpenStatus } from '@countersign/shared/enums';
import type { Tx } from '../database.ts';
import { Item, type ItemColumns } from '../entities/item.ts';
import { entityFromRow } from '../entity-from-row.ts';
import { rawQuery } from '../raw-query.ts';
import { ROW_COLUMNS } from '../row-columns.ts';
import { SYSTEM } from '../../domain/access/actor.ts';
import { nextDeadline, passingOf, type Passing } from '../../domain/items/deadline.ts';
import { toDeadline, toItemRow } from '../../domain/items/item-row.ts';

/** DL3: the deadline ends the item `i`, so nobody decides or withdraws it any more. One that escalates ends nothing. */
export const IS_LATE = `coalesce(i.deadline <= deadline_clock() and i.on_deadline <> 'escalate', false)`;

/** A claim by its fence. */
interface HeldClaim {
  itemId: string;
  userId: string;
  fence: number;
}

export interface PassedDeadlines {
  /** Items that were due. */
  count: number;
  /** The claims that ended; their locks are to be released after the commit. */
  held: HeldClaim[];
}

/**
 * $1: how many at most; $2: one item alone, or null; $3: how many to pass over. Its caller says what happens to a row that
 * somebody else has locked.
 */
export const DUE = `
  select id, status, audit, on_deadline, deadline_span, claimed_by, claim_fence, claim_expires_at is not null as live,
    (extract(epoch from deadline_clock()) * 1000)::float8 as clock
  from item where deadline <= deadline_clock() and status in ('queued', 'escalated') and ($2::uuid is null or id = $2)
  order by deadline limit $1 offset $3 for update`;

interface DueRow {
  id: string;
  status: OpenStatus;
  audit: boolean;
  on_deadline: OnDeadline;
  deadline_span: number;
  claimed_by: string | null;
  claim_fence: number;
  live: boolean;
  clock: number;
}

/** LC3: when the item `i` is due with this deadline. Its target is that of the settings under which it arrived. */
export const dueBy = (deadline: string): string => `least(${deadline}, i.created_at + make_interval(mins => (
  select (s.settings ->> 'target_minutes')::int from project_settings s
  where s.project_id = i.project_id and s.version = i.settings_version)))`;

/** $1: what happens to each. The due time follows a new deadline (LC3). */
const MOVE = `
  with moved as (
    update item i set version = i.version + 1, status = m.status,
      deadline = coalesce(m.next, i.deadline), on_deadline = case when m.next is null then i.on_deadline else 'expire' end,
      deadline_extension = case when m.next is null then i.deadline_extension end,
      due_at = case when m.next is null then i.due_at else ${dueBy('m.next')} end,
      claimed_by = case when m.keeps then i.claimed_by end,
      claim_expires_at = case when m.keeps then i.claim_expires_at end,
      decided_at = case when m.next is null then m.at else i.decided_at end,
      expired_at = case when m.next is null then m.at else i.expired_at end
    from json_to_recordset($1::json) as m(id uuid, status text, next timestamptz, at timestamptz, keeps boolean)
    where i.id = m.id returning i.*
  )
  select ${ROW_COLUMNS} from moved`;

interface Due {
  row: DueRow;
  passing: Passing;
  at: Date;
}

/**
 * Up to `limit` due items after the first `offset`, or one alone if it is due. Call it in the transaction that commits the
 * events.
 */
export async function passDeadlines(
  tx: Tx,
  {
    limit = 1,
    offset = 0,
    only = null,
    wait = false,
  }: { limit?: number; offset?: number; only?: string | null; wait?: boolean },
): Promise<PassedDeadlines> {
  const rows = await rawQuery<DueRow>(tx.em, wait ? DUE : `${DUE} skip locked`, [limit, only, offset]);
  const due = rows.map((row): Due => {
    const { status, audit, on_deadline: onDeadline, clock } = row;
    return { row, passing: passingOf({ status, audit, onDeadline }), at: new Date(clock) };
  });
  if (due.length === 0) return { count: 0, held: [] };
  const moved = await rawQuery<ItemColumns>(tx.em, MOVE, [JSON.stringify(due.map(toMove))]);
  const items = new Map(moved.map((columns) => [columns.id, entityFromRow(tx.em, Item, columns)]));
  // In the order of the deadlines, as the log tells it.
  for (const one of due) appendPassed(tx, one, items.get(one.row.id));
  return { count: due.length, held: due.flatMap(heldUntilNow) };
}

function toMove({ row, passing: { step, status }, at }: Due) {
  const next = step === 'ended' ? null : nextDeadline(at, row.deadline_span);
  return { id: row.id, status, next, at, keeps: step === 'prolonged' };
}

function appendPassed(tx: Tx, { row, passing: { step } }: Due, item: Item | undefined): void {
  if (item === undefined) throw new Error(`The item ${row.id} was locked, and is gone`);
  const event = { project_id: item.projectId, item_id: item.id, version: item.version, actor: SYSTEM };
  const was = { status: row.status, claimed: row.live };
  if (step === 'ended') tx.appendEvent({ type: 'item.expired', ...event, status: item.status, was });
  else if (step === 'escalated')
    tx.appendEvent({
      type: 'item.escalated',
      ...event,
      item: toItemRow(item, null),
      reason: null,
      by_deadline: { claimed: row.live },
    });
  else appendExtended(tx, item, event);
}

/** The event of a later deadline. */
export function appendExtended(tx: Tx, item: Item, event: Pick<Parameters<Tx['appendEvent']>[0], 'actor'>): void {
  const deadline = toDeadline(item);
  if (deadline === null) throw new Error(`The item ${item.id} has no deadline`);
  const base = { project_id: item.projectId, item_id: item.id, version: item.version, actor: event.actor };
  tx.appendEvent({ type: 'item.extended', ...base, deadline, due_at: item.dueAt.toISOString() });
}

const heldUntilNow = ({ row, passing }: Due): HeldClaim[] =>
  row.claimed_by !== null && row.live && passing.step !== 'prolonged'
    ? [{ itemId: row.id, userId: row.claimed_by, fence: row.claim_fence }]
    : [];
