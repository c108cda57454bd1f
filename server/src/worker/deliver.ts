// Sends webhooks: lease what is due, POST outside any transaction, record what came of it. Any number of workers may do so.
import { SYSTEM } from '../domain/actor.ts';
import { nextStep, type NextStep } from '../domain/retry.ts';
import type { Outcome } from '../domain/webhook-attempt.ts';
import { secretsOf } from '../domain/webhook-secrets.ts';
import { WebhookEndpoint } from '../db/entities/webhook-endpoint.ts';
import type { Services } from '../usecases/services.ts';
import { dispatchWebhook } from '../webhooks/dispatch.ts';
import type { GuardPolicy } from '../webhooks/guard.ts';
import { finish, leaseDue, pauseEndpoint, STATUS_AFTER, stillLeased, type Leased } from './delivery-rows.ts';
import type { Next } from './loop.ts';

/** POSTs under way at once, in this process: in all, and to one project's endpoint. */
const SLOTS = 32;
const SLOTS_PER_PROJECT = 8;

export interface Deliverer {
  /** Fills the free slots with what is due. */
  runOnce(): Promise<Next>;
  /** Waits for the POSTs under way. */
  drain(): Promise<void>;
}

/** `onFree` is called when a slot becomes free, to run again. */
export function createDeliverer(services: Services, policy: GuardPolicy, onFree: () => void): Deliverer {
  const inFlight = new Map<Promise<void>, string>();
  const busy = () => {
    const counts = new Map<string, number>();
    for (const projectId of inFlight.values()) counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= SLOTS_PER_PROJECT).map(([projectId]) => projectId);
  };
  const start = (leased: Leased) => {
    const work = deliver(services, policy, leased)
      .catch((error: unknown) =>
        services.log.error({ err: error, delivery: leased.id }, 'delivery not recorded; its lease will end'),
      )
      .finally(() => {
        inFlight.delete(work);
        onFree();
      });
    inFlight.set(work, leased.projectId);
  };
  return {
    runOnce: async () => {
      const limit = SLOTS - inFlight.size;
      if (limit <= 0) return {};
      const due = await services.db.write((tx) => leaseDue(tx, { limit, busy: busy() }));
      due.forEach(start);
      return due.length > 0 ? { again: true } : { at: await nextDue(services) };
    },
    drain: async () => {
      await Promise.all(inFlight.keys());
    },
  };
}

/** When the next waiting delivery is due, in our own clock; only the difference comes from the database. */
async function nextDue(services: Services): Promise<Date | null> {
  const rows = await services.db.read((em) =>
    em.execute<{ seconds: string | number | null }[]>(
      `select extract(epoch from min(next_attempt_at) - now()) as seconds from delivery where status = 'pending' and next_attempt_at > now()`,
    ),
  );
  const seconds = rows[0]?.seconds ?? null;
  return seconds === null ? null : new Date(Date.now() + Math.max(0, Number(seconds) * 1000) + 1);
}

async function deliver(services: Services, policy: GuardPolicy, leased: Leased): Promise<void> {
  const startedAt = services.clock.now();
  const { projectId, previousError } = leased;
  const attempt = leased.attempt - leased.scheduleFrom;
  const endpoint = await services.db.read(async (em) =>
    (await stillLeased(em, leased)) ? em.findOneOrFail(WebhookEndpoint, { projectId }) : null,
  );
  // Its project was deleted since it was leased (AR2).
  if (endpoint === null) return;
  const tools = { keyRing: services.keyRing, policy };
  const outcome = await dispatchWebhook(tools, { ...leased, secrets: secretsOf(endpoint), at: startedAt });
  const next = nextStep({ ...outcome, attempt, previousError, now: services.clock.now(), jitter: Math.random() });
  await services.db.write(async (tx) => {
    if (!(await finish(tx, leased, { outcome, next, startedAt }))) return;
    if (next.kind === 'pause') await pauseEndpoint(tx, leased.projectId);
    tx.record(changed(leased, outcome, next));
  });
}

function changed(leased: Leased, outcome: Outcome, next: NextStep) {
  return {
    type: 'delivery.changed' as const,
    project_id: leased.projectId,
    actor: SYSTEM,
    delivery_id: leased.id,
    item_id: leased.itemId,
    status: STATUS_AFTER[next.kind],
    attempt: leased.attempt,
    http_status: outcome.httpStatus,
    error: outcome.error,
    next_attempt_at: next.kind === 'retry' ? next.at.toISOString() : null,
  };
}
