// Withdraws an item that the pipeline needs no answer to any more (WD1): one conditional UPDATE decides every race.
import type { OpenStatus } from '@countersign/shared/enums';
import { Refusal } from '@countersign/shared/errors';
import type { HeldClaim } from '../../claims/claim-lock.ts';
import type { Tx } from '../../db/database.ts';
import { IS_LATE, passDeadlines } from '../../db/deadlines/pass-deadlines.ts';
import { Decision } from '../../db/entities/decision.ts';
import { Item } from '../../db/entities/item.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { keyRef } from '../../domain/access/actor.ts';
import { publicStatusOf, withdrawalOf } from '../../domain/items/item.ts';
import { toDecision } from '../../domain/items/decision.ts';
import { notFound } from '../access/membership.ts';
import { noteSeenItem } from '../access/seen-item.ts';
import { releaseLocks } from '../claims/release-claims.ts';
import type { ApiKeyActor, Services } from '../services.ts';

interface Withdrawal {
  itemId: string;
  /** For the history of the item. */
  reason: string | null;
}

/**
 * The item becomes `withdrawn` for good, and its claim ends. A repeat changes nothing. Errors: `not_found`, and with the item
 * `already_decided`, also while its decision is provisional (LC2), and `expired`.
 */
export async function withdrawItem(services: Services, actor: ApiKeyActor, input: Withdrawal): Promise<void> {
  const { held, isUnsettled } = await services.db.write((tx) => withdraw(tx, actor, input));
  await releaseLocks(services, held);
  // What the deadline said is committed, and stays when the withdrawal is refused now.
  if (isUnsettled) await withdrawItem(services, actor, input);
}

/** $1: the item; $2: its project. The row of the claim that ends is read under the lock of the update. */
const WITHDRAW = `
  with was as (
    select i.id, i.status, i.claimed_by, i.claim_fence, i.claim_expires_at is not null as live from item i
    where i.id = $1 and i.project_id = $2 and i.status in ('queued', 'escalated') and not i.audit and not ${IS_LATE}
    for update
  )
  update item i set status = 'withdrawn', claimed_by = null, claim_expires_at = null, version = i.version + 1,
    decided_at = date_trunc('milliseconds', clock_timestamp())
  from was where i.id = was.id
  returning i.version, was.status, was.claimed_by as holder, was.claim_fence as fence, was.live`;

interface Withdrawn {
  version: number;
  /** The status, and the claim, that it had. */
  status: OpenStatus;
  holder: string | null;
  fence: number;
  live: boolean;
}

interface Outcome {
  /** The claims that ended. */
  held: HeldClaim[];
  /** The item is not withdrawn yet: its deadline had passed before a worker looked, and has taken effect now (DL3). */
  isUnsettled: boolean;
}

async function withdraw(tx: Tx, actor: ApiKeyActor, { itemId, reason }: Withdrawal): Promise<Outcome> {
  const { projectId } = actor;
  const [row] = await rawQuery<Withdrawn>(tx.em, WITHDRAW, [itemId, projectId]);
  if (row === undefined) return passOrRefuse(tx, { itemId, projectId });
  noteSeenItem(itemId);
  const event = { project_id: projectId, item_id: itemId, version: row.version, actor: keyRef(actor) };
  tx.appendEvent({
    type: 'item.withdrawn',
    ...event,
    status: 'withdrawn',
    reason,
    was: { status: row.status, claimed: row.live },
  });
  const held = row.holder !== null && row.live ? [{ itemId, userId: row.holder, fence: row.fence }] : [];
  return { held, isUnsettled: false };
}

async function passOrRefuse(tx: Tx, of: { itemId: string; projectId: string }): Promise<Outcome> {
  const item = await tx.em.findOne(Item, { id: of.itemId, projectId: of.projectId });
  if (item === null) throw notFound();
  noteSeenItem(item.id);
  const step = withdrawalOf(item);
  if (step === 'repeat') return { held: [], isUnsettled: false };
  if (step === 'refuse') throw await refusalOf(tx, item);
  const { held } = await passDeadlines(tx, { only: item.id, wait: true });
  return { held, isUnsettled: true };
}

const STANDS = 'The decision stands. Read it in the item, the feed or the webhook.';
const PROVISIONAL = 'A reviewer has decided this item. Read the decision once it is final.';
const ROUTED = 'Routing rejected this item on its arrival. Nobody is asked for an answer.';

async function refusalOf({ em }: Tx, item: Item): Promise<Refusal> {
  const ended = { id: item.id, status: publicStatusOf(item) };
  if (item.expiredAt && !item.audit && (await em.count(Decision, { itemId: item.id })) === 0)
    return new Refusal('expired', 'The deadline of this item has passed, so it ended without a decision.', {
      item: { ...ended, decision: null },
    });
  const decision = await em.findOne(Decision, { itemId: item.id, audit: false, supersededAt: null });
  const isFinal = item.audit || !item.publicStatus;
  return new Refusal('already_decided', isFinal ? (decision === null ? ROUTED : STANDS) : PROVISIONAL, {
    item: { ...ended, decision: decision && isFinal ? toDecision(decision) : null },
  });
}
