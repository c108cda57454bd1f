// Sends webhooks: lease what is due, POST outside any transaction, record what came of it. Any number of workers may do so.
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
  /** Fills the free slots with what is due. */
  runOnce(): Promise<Next>;
  /** Waits for the POSTs under way. */
  drain(): Promise<void>;
}

interface AttemptObservation extends Pick<Leased, 'itemId' | 'projectId' | 'webhookId' | 'attempt'> {
  outcome: 'succeeded' | 'failed';
  seconds: number;
  /** What was answered; null when nothing was. */
  status: number | null;
}

/** The operator's exceptions and proxy, and what a test wants otherwise. */
export type Egress = GuardPolicy &
  Pick<DispatchTools, 'lookup' | 'limits'> & {
    /** Is told of every POST when it is over. */
    onAttempt?: (seen: AttemptObservation) => void;
  };

interface DelivererOptions {
  /** Slots became free: time to run again, at once where enough of them did. */
  onFree?: (atOnce: boolean) => void;
  /** Facts have got their place in a ledger. */
  onEvents?: (events: readonly SequencedEvent[]) => void;
  /** Those of whoever else numbers facts in this process. */
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
    // The slot is for the POST: the next one may begin while this one is written down. After a failure it waits for that: whether
    // its endpoint is left alone from now on is known then (WH5), and a database that is slow must not cost more tries.
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
  log.error({ err: error, delivery: id }, 'delivery not recorded; its lease will end');

/** Leases what is due, as far as there is room, and starts it. */
async function fill(
  services: Services,
  limiter: ConcurrencyLimiter,
  start: (...ready: ReadyToSend) => void,
): Promise<Next> {
  const room = limiter.room();
  // Whoever waits for company comes again after a while even if there is no room now: until then nobody is told of slots that become free.
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

/** When the next waiting delivery may go, in our own clock; only the difference comes from the database. */
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
 * Writes one attempt's end down, plainly where that goes. Behind a failure of its project that is being written it goes the same way:
 * what came last says how the endpoint is (WH5). The relay of this process has its turn in between: else each of its runs would meet
 * the end of some, whose facts it would have to run for again.
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

/** What ends together is written together; one that cannot be written fails alone. */
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

/** That an endpoint without trouble has answered once more changes nothing: its row need not be held for that. */
const isNoted = ({ next }: Done, fate: Fate | undefined): boolean =>
  fate === 'troubled' || (fate === 'well' && next.kind !== 'succeeded');
