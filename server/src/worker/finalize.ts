// Makes decisions final when their undo window has passed (LC2), which triggers webhooks and waiting responses.
import type { DecisionAction, ItemStatus } from '@countersign/shared/enums';
import { SYSTEM } from '../domain/access/actor.ts';
import type { Tx } from '../db/database.ts';
import type { Services } from '../usecases/services.ts';
import { type Next, secondsFromNow } from './loop.ts';
import { type Part, runBatch } from './row-by-row.ts';

const BATCH = 200;

/**
 * Finalizes due decisions by the database's clock; returns when the next window ends. Several workers may run it
 * concurrently.
 */
export async function finalizeOnce(services: Services): Promise<Next> {
  const next = await nextWindow(services);
  // Most runs end here, without a transaction.
  if (next === null || next > 0) return { at: secondsFromNow(next) };
  const count = await runBatch(BATCH, (part) => services.db.write((tx) => finalize(tx, part)));
  return count === BATCH ? { again: true } : { at: secondsFromNow(await nextWindow(services)) };
}

/** A decision that is final now. */
interface Finalized {
  item_id: string;
  project_id: string;
  action: DecisionAction;
  reason: string | null;
}

/** Returns how many were due. */
async function finalize(tx: Tx, { limit, offset }: Part): Promise<number> {
  const decisions = await tx.em.execute<Finalized[]>(
    `update decision set final_at = now() where id in (
       select id from decision where final_at is null and undo_until <= now() order by undo_until
       limit ? offset ? for update skip locked
     ) returning item_id, project_id, action, reason`,
    [limit, offset],
  );
  if (decisions.length > 0) await appendFinalized(tx, decisions);
  return decisions.length;
}

async function appendFinalized({ em, appendEvent }: Tx, decisions: readonly Finalized[]): Promise<void> {
  const rows = await em.execute<{ id: string; version: number; status: ItemStatus }[]>(
    `update item set public_status = null, version = version + 1 where id = any(?::uuid[]) returning id, version, status`,
    [`{${decisions.map((decision) => decision.item_id).join(',')}}`],
  );
  const items = new Map(rows.map((row) => [row.id, row]));
  for (const { item_id: itemId, project_id: projectId, action, reason } of decisions) {
    const item = items.get(itemId);
    if (item === undefined) throw new Error(`Decision without item ${itemId}.`);
    const event = { project_id: projectId, item_id: itemId, version: item.version, actor: SYSTEM };
    appendEvent({ type: 'item.finalized', ...event, status: item.status, action, reason });
  }
}

/** The seconds until the next window ends; 0 or less when one has ended. */
async function nextWindow(services: Services): Promise<number | null> {
  const rows = await services.db.read((em) =>
    em.execute<{ seconds: string | number | null }[]>(
      `select extract(epoch from min(undo_until) - now()) as seconds from decision where final_at is null`,
    ),
  );
  const seconds = rows[0]?.seconds ?? null;
  return seconds === null ? null : Number(seconds);
}
