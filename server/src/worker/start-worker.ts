// Starts a worker: its loops, what wakes each, and how they stop.
import { COALESCE_MS } from '@countersign/shared/sockets';
import { DUE, EVENTS_APPENDED, parseEventTypes } from '../db/connection/channels.ts';
import type { Signals } from '../db/connection/signals.ts';
import type { Services } from '../usecases/services.ts';
import { createDeliverer, type Egress } from '../delivery/deliver.ts';
import { assignClustersOnce } from './assign-clusters.ts';
import { countOnce } from './count-rollups.ts';
import { finalizeOnce } from './finalize.ts';
import { expireItemsOnce } from './expire-items.ts';
import { expireClaimsOnce } from './expire-claims.ts';
import { type Gaps, type Loop, type LoopOptions, spreadStarts, startLoop, type Urgency } from './loop.ts';
import { relayOnce, type SequencedEvent } from './relay.ts';
import { replayOnce } from './replay.ts';
import { startMaintenanceJobs } from './maintenance-jobs.ts';
import { DELIVERED_EVENT_TYPES } from '../domain/webhooks/delivered-events.ts';

const POLL_MS = 1000;
/**
 * During a burst of submissions, sequence numbers are assigned in batches; after a pause, immediately. A final decision
 * waits less, because a pipeline waits for it. The events of attempts, which are most of what a busy event log holds, fill a
 * batch meanwhile: nobody waits for them.
 */
const RELAY_GAPS_MS: Gaps = { low: 100, normal: COALESCE_MS, high: 5 };
/** Permits that become free at about the same time are filled together; a new delivery is sent immediately. */
const LEASE_GAPS_MS: Gaps = { normal: 10, high: 0 };
/**
 * Events within this time are counted together, so that rows change less often. Reads include the events that are not
 * counted yet. A large backlog is counted without a pause.
 */
const COUNT_GAPS_MS: Gaps = { normal: 250, high: 0 };
/** A due item that somebody else has locked is looked for again after this long; a full batch is followed at once. */
const DEADLINE_GAPS_MS: Gaps = { normal: 50, high: 0 };

export interface WorkerTools {
  services: Services;
  signals: Signals;
  egress: Egress;
  onRun: LoopOptions['onRun'];
  /** Called with every event that got its sequence number. */
  onEvents: (events: readonly SequencedEvent[]) => void;
}

/** Starts the loops; returns a function that stops them and waits for running work. */
export async function startWorker({
  services,
  signals,
  egress,
  onRun,
  onEvents,
}: WorkerTools): Promise<() => Promise<void>> {
  const nextStart = spreadStarts();
  const loop = (name: string, run: LoopOptions['run'], gapMs: Gaps = { normal: 0 }): Loop =>
    startLoop({ name, run, pollMs: POLL_MS, firstMs: nextStart(), log: services.log, onRun, gapMs });
  const onSequenced = (events: readonly SequencedEvent[]) => {
    onEvents(events);
    if (events.length > 0) counting.wake();
  };
  const deliverer = createDeliverer(services, egress, { onFree: (urgency) => delivering.wake(urgency) });
  const relay = () => relayOnce(services, signals, { onSequenced, capacity: deliverer });
  const relaying = loop('relay', relay, RELAY_GAPS_MS);
  const delivering = loop('deliver', () => deliverer.runOnce(), LEASE_GAPS_MS);
  const counting = loop('count', () => countOnce(services), COUNT_GAPS_MS);
  const finalizing = loop('finalize', () => finalizeOnce(services));
  const expiring = loop('lapse-claims', () => expireClaimsOnce(services));
  const ending = loop('expire-items', () => expireItemsOnce(services), DEADLINE_GAPS_MS);
  const assigning = loop('place', () => assignClustersOnce(services));
  const replaying = loop('replay', () => replayOnce(services));
  const maintenance = startMaintenanceJobs(services, { onRun, nextStart });
  await listen(signals, { relaying, finalizing, assigning, delivering, replaying });
  const loops = [relaying, counting, finalizing, assigning, expiring, ending, delivering, replaying, ...maintenance];
  return async () => {
    await Promise.all(loops.map((running) => running.stop()));
    await deliverer.drain();
  };
}

type WakeableLoops = Record<'relaying' | 'finalizing' | 'assigning' | 'delivering' | 'replaying', Loop>;

/** Which notification wakes which loop. */
async function listen(
  signals: Signals,
  { relaying, finalizing, assigning, delivering, replaying }: WakeableLoops,
): Promise<void> {
  await signals.on(EVENTS_APPENDED, (payload) => {
    const types = parseEventTypes(payload);
    relaying.wake(urgencyOf(types));
    if (types.has('decision.revised')) assigning.wake();
    if (!types.has('item.decided')) return;
    finalizing.wake();
    assigning.wake();
  });
  await signals.on(DUE, () => {
    delivering.wake('high');
    replaying.wake();
  });
}

/** How soon events of these types need their sequence numbers. */
function urgencyOf(types: ReadonlySet<string>): Urgency {
  if (types.size === 1 && types.has('delivery.changed')) return 'low';
  return DELIVERED_EVENT_TYPES.some((type) => types.has(type)) ? 'high' : 'normal';
}
