// The supervisors' floor: who holds what and for how long, the pace, and when the queue will be empty (FL).
import type { Floor, Flow, Holding, OnFloor } from '@countersign/shared/api/floor';
import { drainOf, IDLE_AFTER, median, stuckAfter, timesOf } from '../../domain/floor.ts';
import type { Em } from '../../db/orm.ts';
import type { Holder } from '../../claims/claim-lock.ts';
import { lockHolders } from '../claim-store.ts';
import { requireVerb } from '../membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { arrivedIn, decidedIn, heldIn, latestMade, seatsOf, waitingIn, type Held, type Tally } from './floor-rows.ts';

/** Errors: `not_found`, `forbidden`. */
export async function readFloor(services: Services, actor: MemberActor, projectId: string): Promise<Floor> {
  const now = services.clock.now();
  const rows = await services.db.read(async (em) => {
    await requireVerb(em, { userId: actor.userId, projectId }, 'see_analytics');
    return readRows(em, projectId, now);
  });
  const { held, total } = rows.holdings;
  const locks = await lockHolders(
    services,
    held.map(({ itemId }) => itemId),
  );
  const times = timesOf(rows.made);
  const usual = median(times.map(({ seconds }) => seconds));
  const flow = flowsOf(rows);
  return {
    server_time: now.toISOString(),
    waiting: rows.waiting,
    flow,
    drain: drainOf(rows.waiting.queued + rows.waiting.escalated, flow),
    alone_last_hour: rows.arrived.alone,
    median: { seconds: usual, n: times.length },
    stuck_after_seconds: stuckAfter(usual),
    idle_after_seconds: IDLE_AFTER,
    people: rows.seats.map(({ userId, name, role }): OnFloor => ({
      user_id: userId,
      name,
      role,
      holding: held.filter((each) => each.userId === userId).map((each) => holdingOf(each, locks.get(each.itemId))),
      ...workOf(rows.decided.get(userId)),
      median_seconds: median(times.filter((time) => time.userId === userId).map(({ seconds }) => seconds)),
    })),
    more_held: total - held.length,
  };
}

type Rows = Awaited<ReturnType<typeof readRows>>;

/** Asked one after the other: the embedded database has one connection. */
async function readRows(em: Em, projectId: string, now: Date) {
  return {
    seats: await seatsOf(em, projectId),
    holdings: await heldIn(em, projectId),
    waiting: await waitingIn(em, projectId),
    arrived: await arrivedIn(em, projectId, now),
    decided: await decidedIn(em, projectId, now),
    made: await latestMade(em, projectId, now),
  };
}

/** The shortest window first, as `drainOf` wants them. */
function flowsOf({ arrived, decided }: Rows): Flow[] {
  const sum = (of: (tally: Tally) => number) => [...decided.values()].reduce((n, tally) => n + of(tally), 0);
  return [
    { minutes: 15, arrived: arrived.toPeople[15], decided: sum(({ quarter }) => quarter) },
    { minutes: 60, arrived: arrived.toPeople[60], decided: sum(({ hour }) => hour) },
  ];
}

const workOf = (tally: Tally | undefined): Pick<OnFloor, 'last_decided_at' | 'decided_last_hour'> => ({
  last_decided_at: tally?.last.toISOString() ?? null,
  decided_last_hour: tally?.hour ?? 0,
});

function holdingOf({ itemId, userId, fence, preview, status, since, expiresAt }: Held, lock?: Holder): Holding {
  const renewed = lock?.userId === userId && lock.fence === fence ? lock.expiresAt : expiresAt;
  return { item_id: itemId, preview, status, since: since.toISOString(), expires_at: renewed.toISOString() };
}
