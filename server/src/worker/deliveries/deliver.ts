// Sends webhooks: leases due deliveries, POSTs outside of transactions, records the results. Any number of workers may
// run it.
import { DatabaseGone, type Tx } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { planned } from '../../db/connection/planned.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { Mutex } from '../../db/mutex.ts';
import { nextStep } from '../../domain/webhooks/retry.ts';
import type { StoredSecrets } from '../../domain/webhooks/webhook-secrets.ts';
import type { Services } from '../../usecases/services.ts';
import { type DispatchTools, dispatchWebhook } from '../../webhooks/dispatch.ts';
import { ConnectionPool } from '../../webhooks/connections.ts';
import type { GuardPolicy } from '../../webhooks/guard/guard.ts';
import {
  FIRST_OF_ITEM,
  leaseDue,
  type Leased,
  type ReadyToSend,
  stillLeased,
  tookAll,
  UNDELIVERED,
} from './delivery-rows.ts';
import { type Alert, logAlert } from './alert-rows.ts';
import { noteEndpoints } from './endpoint-rows.ts';
import { type Done, attemptEvent, type Fate, finishAll } from './attempt-rows.ts';
import type { Next } from '../loop.ts';
import { recordSuccesses, isSuccess, MAX_SUCCESS_BATCH } from './record-successes.ts';
import type { SendCapacity, SequencedEvent } from '../relay.ts';
import { MOST_LEASED, ConcurrencyLimiter } from './concurrency-limiter.ts';

export interface Deliverer extends SendCapacity {
  /** Fills the free permits with due deliveries. */
  runOnce(): Promise<Next>;
  /** Waits for the POSTs in flight. */
  drain(): Promise<void>;
}

interface AttemptObservation extends Pick<Leased, 'itemId' | 'projectId' | 'webhookId' | 'attempt'> {
  outcome: 'succeeded' | 'failed';
  seconds: number;
  /** The response status; null without a response. */
  status: number | null;
}

/** The operator's exceptions and proxy, and overrides for tests. */
export type Egress = GuardPolicy &
  Pick<DispatchTools, 'lookup' | 'limits'> & {
    /** Called after every POST. */
    onAttempt?: (seen: AttemptObservation) => void;
  };

interface DelivererOptions {
  /** Permits became free: run again, immediately if enough of them did. */
  onFree?: (atOnce: boolean) => void;
  /** Called with events that got their sequence numbers. */
  onEvents?: (events: readonly SequencedEvent[]) => void;
  /** Shared with everything else in this process that assigns sequence numbers. */
  mutex?: Mutex;
}

const ignore = (): void => undefined;

export function createDeliverer(
  services: Services,
  egress: Egress,
  { onFree = ignore, onEvents = ignore, mutex = new Mutex() }: DelivererOptions = {},
): Deliverer {
  const limiter = new ConcurrencyLimiter(onFree);
  const connections = new ConnectionPool();
  const recordOutcome = createRecorder(services, { onEvents, mutex });
  const deliver = async (leased: Leased, secrets: StoredSecrets<string>) => {
    const done = await send({ services, egress, connections }, leased, secrets);
    limiter.throttle.note(done.outcome);
    // The permit covers the POST: the next one may start while this one is recorded. After a failure it is held until
    // then: only then is it known whether the circuit of the endpoint opens (WH5), and a slow database must not cause
    // more attempts.
    if (done.outcome.error === null) limiter.free(leased);
    await recordOutcome(done);
  };
  const start = (leased: Leased, secrets: StoredSecrets<string>) => {
    limiter.take(leased);
    const work = deliver(leased, secrets).catch((error: unknown) => logUnrecorded(services, leased, error));
    limiter.follow(work.finally(() => limiter.free(leased)));
  };
  return {
    reserve: (fresh) => {
      const reserved = limiter.reserve(fresh);
      const use = (ready: readonly ReadyToSend[]) => {
        for (const [leased, secrets] of ready) start(leased, secrets);
        const used = new Set(ready.map(([{ id }]) => id));
        for (const [id, permit] of reserved) {
          if (used.has(id)) limiter.leave(permit);
          else limiter.free(permit);
        }
      };
      return { ids: new Set(reserved.keys()), use };
    },
    runOnce: () => fill(services, limiter, start),
    drain: async () => {
      await limiter.drain();
      connections.close();
    },
  };
}

const logUnrecorded = ({ log }: Services, { id }: Leased, error: unknown): void =>
  log.error({ err: error, delivery: id }, 'delivery result not recorded; its lease will expire');

/** Leases due deliveries, as far as there is room, and starts them. */
async function fill(
  services: Services,
  limiter: ConcurrencyLimiter,
  start: (...ready: ReadyToSend) => void,
): Promise<Next> {
  const room = limiter.room();
  // While it waits for a full batch, the loop runs again after a while even without room: until then it is not notified
  // of free permits.
  const wait = limiter.throttle.waitMs(room);
  if (wait > 0) return { at: new Date(Date.now() + wait) };
  if (room.limit <= 0) return {};
  const leased = await limiter.toFill(async () => {
    const limit = Math.min(room.limit, MOST_LEASED);
    const due = await services.db.statement((em) => leaseDue(em, { ...room, limit }));
    for (const ready of await services.db.read((em) => stillLeased(em, due))) start(...ready);
    return due;
  });
  limiter.throttle.leased({ posting: room.posting + leased.length, backlog: tookAll(leased, room) });
  if (leased.length === 0) return { at: await nextDue(services) };
  limiter.requestFill();
  return { again: true };
}

const NEXT_DUE = planned(`
  with recursive ${UNDELIVERED}
  select extract(epoch from min(greatest(d.at, e.open_until)) - now()) as seconds
  from undelivered u join webhook_endpoint e on e.project_id = u.project_id
  cross join lateral (
    select x.next_attempt_at as at from delivery x where x.project_id = e.project_id and x.status = 'pending'
      and x.next_attempt_at > case when e.open_until > now() then '-infinity' else now() end and ${FIRST_OF_ITEM}
    order by x.next_attempt_at limit 1
  ) d
  where e.state = 'active'`);

/** When the next pending delivery is due, by our own clock; only the difference comes from the database. */
async function nextDue(services: Services): Promise<Date | null> {
  const [row] = await services.db.read((em) => rawQuery<{ seconds: string | number | null }>(em, NEXT_DUE, []));
  const seconds = row?.seconds ?? null;
  return seconds === null ? null : new Date(Date.now() + Math.max(0, Number(seconds) * 1000) + 1);
}

async function send(
  { services, egress, connections }: { services: Services; egress: Egress; connections: ConnectionPool },
  leased: Leased,
  secrets: StoredSecrets<string>,
): Promise<Done> {
  const startedAt = services.clock.now();
  const attempt = leased.attempt - leased.scheduleFrom;
  const { lookup, limits, onAttempt, ...policy } = egress;
  const tools = { keyRing: services.keyRing, log: services.log, policy, lookup, limits, connections };
  const outcome = await dispatchWebhook(tools, { ...leased, secrets, at: startedAt });
  const { itemId, projectId, webhookId, attempt: number } = leased;
  onAttempt?.({
    ...{ outcome: outcome.error === null ? 'succeeded' : 'failed', seconds: outcome.totalMs / 1000 },
    ...{ itemId, projectId, webhookId, attempt: number, status: outcome.httpStatus },
  });
  const { previousError } = leased;
  const next = nextStep({ ...outcome, attempt, previousError, now: services.clock.now(), jitter: Math.random() });
  return { leased, outcome, next, startedAt };
}

/**
 * Records the end of an attempt, on the fast path if possible. Behind a failure of its project that is being recorded
 * it takes the same slow path: the last result determines the state of the endpoint (WH5). The relay of this process
 * gets its turn in between: otherwise each of its runs would find some of these events and have to run again for the
 * rest.
 */
function createRecorder(
  services: Services,
  { onEvents, mutex }: Required<Pick<DelivererOptions, 'onEvents' | 'mutex'>>,
): (done: Done) => Promise<void> {
  const successWrites = groupWrites((done) => mutex.take(() => recordSuccesses(services, done)));
  const finishing = groupWrites((done) => finish(services, done));
  const finishingOf = new Map<string, number>();
  const count = (projectId: string, by: 1 | -1) => {
    const now = (finishingOf.get(projectId) ?? 0) + by;
    if (now === 0) finishingOf.delete(projectId);
    else finishingOf.set(projectId, now);
  };
  const end = (done: Done, projectId: string) => {
    count(projectId, 1);
    return finishing.add(done).finally(() => count(projectId, -1));
  };
  return async (done) => {
    const { projectId } = done.leased;
    if (!isSuccess(done) || finishingOf.has(projectId)) return end(done, projectId);
    const { isWritten, events } = await successWrites.add(done);
    onEvents(events);
    if (!isWritten) await end(done, projectId);
  };
}

/** Records concurrent results together; one that cannot be recorded fails alone. */
function groupWrites<R>(write: (done: readonly Done[]) => Promise<readonly R[]>): GroupCommit<Done, R> {
  return new GroupCommit<Done, R>({
    commit: async (done) => (await write(done)).map((result) => ({ result })),
    meetsAll: (error) => error instanceof DatabaseGone,
    weigh: () => 1,
    maxWeight: MAX_SUCCESS_BATCH,
    maxEntries: MAX_SUCCESS_BATCH,
    concurrency: 1,
    laterMs: 0,
  });
}

async function finish({ db, log }: Services, done: readonly Done[]): Promise<readonly undefined[]> {
  const alerts = await db.write((tx) => writeOutcomes(tx, done));
  for (const alert of alerts) logAlert(log, alert);
  return done.map(() => undefined);
}

async function writeOutcomes(tx: Tx, done: readonly Done[]): Promise<readonly Alert[]> {
  const fates = await finishAll(tx, done);
  const counted = done.filter((_, index) => fates[index] !== 'lost');
  const noted = new Set(done.flatMap((each, index) => (isNoted(each, fates[index]) ? [each.leased.projectId] : [])));
  const { alerts, waiting } = await noteEndpoints(
    tx,
    counted.filter(({ leased }) => noted.has(leased.projectId)),
  );
  const told = new Map(alerts.map(({ deliveryId, kind }) => [deliveryId, kind]));
  for (const each of counted) {
    const { id } = each.leased;
    tx.appendEvent({ ...attemptEvent(each), ...(waiting.has(id) && { status: 'pending' }), alert: told.get(id) });
  }
  return alerts;
}

/** Another success of an endpoint without trouble changes nothing, so its row need not be locked. */
const isNoted = ({ next }: Done, fate: Fate | undefined): boolean =>
  fate === 'troubled' || (fate === 'well' && next.kind !== 'succeeded');
