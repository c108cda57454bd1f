// Starts a worker: its loops, what wakes each, and how they stop.
import { COALESCE_MS } from '@countersign/shared/sockets';
import { DUE, EVENTS_APPENDED } from '../db/connection/channels.ts';
import type { Signals } from '../db/connection/signals.ts';
import type { Services } from '../usecases/services.ts';
import { createDeliverer, type Egress } from '../delivery/deliver.ts';
import { assignClustersOnce } from './assign-clusters.ts';
import { countOnce } from './count-rollups.ts';
import { finalizeOnce } from './finalize.ts';
import { expireItemsOnce } from './expire-items.ts';
import { expireClaimsOnce } from './expire-claims.ts';
import { type Loop, type LoopOptions, spreadStarts, startLoop } from './loop.ts';
import { relayOnce, type SequencedEvent } from './relay.ts';
import { replayOnce } from './replay.ts';
import { startMaintenanceJobs } from './maintenance-jobs.ts';
import { DELIVERED_EVENT_TYPES } from '../domain/items/decision.ts';

const POLL_MS = 1000;
/**
 * During a burst of submissions, sequence numbers are assigned in batches; after a pause, immediately. A final decision
 * waits less, because a pipeline waits for it.
 */
const RELAY_GAP_MS = COALESCE_MS;
const URGENT_RELAY_GAP_MS = 5;
/** The events of attempts, which are most of what a busy event log holds, fill a batch meanwhile: nobody waits for them. */
const CALM_RELAY_GAP_MS = 100;
/** Permits that become free at about the same time are filled together; a new delivery is sent immediately. */
const LEASE_GAP_MS = 10;
/**
 * Events within this time are counted together, so that rows change less often. Reads include the events that are not
 * counted yet.
 */
const COUNT_GAP_MS = 250;
/** A due item that somebody else has locked is looked for again after this long; a full batch is followed at once. */
const DEADLINE_GAP_MS = 50;

export interface WorkerTools {
  services: Services;
  signals: Signals;
  egress: Egress;
  onRun: LoopOptions['onRun'];
  /** Called with every event that got its sequence number. */
  onEvents: (events: readonly SequencedEvent[]) => void;
}

type Gaps = Pick<LoopOptions, 'gapMs' | 'urgentGapMs' | 'calmGapMs'>;

/** Starts the loops; returns a function that stops them and waits for running work. */
export async function startWorker({
  services,
  signals,
  egress,
  onRun,
  onEvents,
}: WorkerTools): Promise<() => Promise<void>> {
  const nextStart = spreadStarts();
  const loop = (name: string, run: LoopOptions['run'], gaps: Gaps = {}): Loop =>
    startLoop({ name, run, pollMs: POLL_MS, firstMs: nextStart(), log: services.log, onRun, ...gaps });
  const onSequenced = (events: readonly SequencedEvent[]) => {
    onEvents(events);
    if (events.length > 0) counting.wake();
  };
  const onFree = (atOnce: boolean) => delivering.wake(atOnce);
  const deliverer = createDeliverer(services, egress, { onFree });
  const relay = () => relayOnce(services, signals, { onSequenced, capacity: deliverer });
  const relaying = loop('relay', relay, {
    gapMs: RELAY_GAP_MS,
    urgentGapMs: URGENT_RELAY_GAP_MS,
    calmGapMs: CALM_RELAY_GAP_MS,
  });
  const delivering = loop('deliver', () => deliverer.runOnce(), { gapMs: LEASE_GAP_MS, urgentGapMs: 0 });
  // A large backlog is counted without a pause.
  const counting = loop('count', () => countOnce(services), { gapMs: COUNT_GAP_MS, urgentGapMs: 0 });
  const finalizing = loop('finalize', () => finalizeOnce(services));
  const expiring = loop('lapse-claims', () => expireClaimsOnce(services));
  const ending = loop('expire-items', () => expireItemsOnce(services), { gapMs: DEADLINE_GAP_MS, urgentGapMs: 0 });
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
  await signals.on(EVENTS_APPENDED, (types) => {
    relaying.wake(types === 'delivery.changed' ? 'calm' : DELIVERED_EVENT_TYPES.some((type) => types.includes(type)));
    if (types.includes('decision.revised')) assigning.wake();
    if (!types.includes('item.decided')) return;
    finalizing.wake();
    assigning.wake();
  });
  await signals.on(DUE, () => {
    delivering.wake(true);
    replaying.wake();
  });
}
