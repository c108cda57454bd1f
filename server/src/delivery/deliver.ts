// Sends webhooks: leases due deliveries, POSTs outside of transactions, records the results.
import { nextStep } from '../domain/webhooks/retry.ts';
import type { StoredSecrets } from '../domain/webhooks/signing.ts';
import type { Services } from '../usecases/services.ts';
import type { ConnectionPool } from './connections.ts';
import type { dispatchWebhook, DispatchTools } from './dispatch.ts';
import type { GuardPolicy } from './guard/guard.ts';
import {
  type FinishedAttempt,
  type LeaseCapacity,
  leaseDue,
  type Leased,
  nextDue,
  type ReadyToSend,
  stillLeased,
} from './lease.ts';
import { SendPermits, MOST_LEASED, type Next, type OnFree, type Permit, tookAll } from './send-permits.ts';
import { createRecorder } from './record.ts';
import type { SendCapacity } from './write.ts';

export interface Deliverer extends SendCapacity {
  /** Fills the free permits with due deliveries. */
  runOnce(): Promise<Next>;
  /** Waits for the POSTs in flight. */
  settled(): Promise<void>;
  /** The same, and closes the connections. */
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
  onFree?: OnFree;
  /** Loads the HTTP client; tests let it fail. */
  load?: () => Promise<Sender>;
}

/** Creates the deliverer of one worker. Any number of workers may deliver at the same time. */
export function createDeliverer(
  services: Services,
  egress: Egress,
  { onFree = () => undefined, load = loadSender }: DelivererOptions = {},
): Deliverer {
  const permits = new SendPermits(onFree);
  const sender = new LazySender(load);
  const record = createRecorder(services);
  const context = sendContextOf(services, egress);
  const deliver = async (ready: ReadyToSend, permit: Permit) => {
    const done = await send(context, await sender.get(), ready);
    permits.throttle.note(done.outcome);
    // The permit covers the POST: the next one may start while this one is recorded. After a failure it is held until
    // then: only then is it known whether the circuit of the endpoint opens (WH5), and a slow database must not cause
    // more attempts.
    if (done.outcome.error === null) permits.free(permit);
    await record(done);
  };
  const start = (leased: Leased, secrets: StoredSecrets<string>) => {
    const { projectId, endpointId, attempt, scheduleFrom } = leased;
    const permit = { projectId, endpointId, isRetry: attempt - scheduleFrom > 1 };
    const attempted = () => deliver([leased, secrets], permit);
    permits.run(permit, () => attempted().catch((error: unknown) => logUnrecorded(services, leased, error)));
  };
  return {
    reserve: (fresh) => {
      const reserved = permits.reserve(sender.isBroken ? [] : fresh);
      const use = (ready: readonly ReadyToSend[]) => {
        for (const [leased, secrets] of ready) start(leased, secrets);
        const used = new Set(ready.map(([{ id }]) => id));
        for (const [id, permit] of reserved) {
          if (used.has(id)) permits.leave(permit);
          else permits.free(permit);
        }
      };
      return { ids: new Set(reserved.keys()), use };
    },
    runOnce: () => sender.recovered().then(() => fill(services, permits, start)),
    settled: () => permits.drain(),
    drain: () => permits.drain().then(() => sender.close()),
  };
}

interface Sender {
  dispatchWebhook: typeof dispatchWebhook;
  connections: ConnectionPool;
}

/** Loads the HTTP client once, with the first webhook: a start takes less time without it. */
class LazySender {
  /** Loading failed, as without a free file descriptor. Until it succeeds nothing is leased, which would use up attempts. */
  isBroken = false;
  readonly #load: () => Promise<Sender>;
  #sender: Promise<Sender> | undefined;

  constructor(load: () => Promise<Sender>) {
    this.#load = load;
  }

  get(): Promise<Sender> {
    this.#sender ??= this.#load().catch((error: unknown) => {
      this.#sender = undefined;
      this.isBroken = true;
      throw error;
    });
    return this.#sender;
  }

  /** Loads it again if that failed. Errors: the cause. */
  async recovered(): Promise<void> {
    if (this.isBroken) await this.get();
    this.isBroken = false;
  }

  async close(): Promise<void> {
    (await this.#sender)?.connections.close();
  }
}

async function loadSender(): Promise<Sender> {
  const [{ dispatchWebhook }, { ConnectionPool }] = await Promise.all([
    import('./dispatch.ts'),
    import('./connections.ts'),
  ]);
  return { dispatchWebhook, connections: new ConnectionPool() };
}

const logUnrecorded = ({ log }: Services, { id }: Leased, error: unknown): void =>
  log.error({ err: error, delivery: id }, 'delivery result not recorded; its lease will expire');

/** Leases due deliveries, as far as there is room, and starts them. */
async function fill(services: Services, permits: SendPermits, start: (...ready: ReadyToSend) => void): Promise<Next> {
  const lease = async (capacity: LeaseCapacity) => {
    const limit = Math.min(capacity.limit, MOST_LEASED);
    const due = await services.db.statement((em) => leaseDue(em, { ...capacity, limit }));
    for (const ready of await services.db.read((em) => stillLeased(em, due))) start(...ready);
    return due;
  };
  return (await permits.fill(lease, tookAll)) ?? { at: await nextDue(services.db) };
}

/** What every attempt of this process is sent with, besides the HTTP client, which is loaded late. */
interface SendContext {
  services: Services;
  tools: Omit<DispatchTools, 'connections'>;
  onAttempt: Egress['onAttempt'];
}

function sendContextOf(services: Services, { lookup, limits, onAttempt, ...policy }: Egress): SendContext {
  return { services, tools: { keyRing: services.keyRing, log: services.log, policy, lookup, limits }, onAttempt };
}

async function send(
  { services, tools, onAttempt }: SendContext,
  { connections, dispatchWebhook: dispatch }: Sender,
  [leased, secrets]: ReadyToSend,
): Promise<FinishedAttempt> {
  const startedAt = services.clock.now();
  const attempt = leased.attempt - leased.scheduleFrom;
  const outcome = await dispatch({ ...tools, connections }, { ...leased, secrets, at: startedAt });
  const { itemId, projectId, webhookId, attempt: number } = leased;
  onAttempt?.({
    ...{ outcome: outcome.error === null ? 'succeeded' : 'failed', seconds: outcome.totalMs / 1000 },
    ...{ itemId, projectId, webhookId, attempt: number, status: outcome.httpStatus },
  });
  const { previousError } = leased;
  const next = nextStep({ ...outcome, attempt, previousError, now: services.clock.now(), jitter: Math.random() });
  return { leased, outcome, next, startedAt };
}
