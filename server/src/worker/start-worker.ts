// What a worker runs: its loops, what rings which of them, and how they end.
import { COALESCE_MS } from '@countersign/shared/sockets';
import { DUE, RECORDED } from '../db/channels.ts';
import type { Signals } from '../db/signals.ts';
import { Turns } from '../db/turns.ts';
import type { Services } from '../usecases/services.ts';
import { countOnce } from './count.ts';
import { createDeliverer, type Egress } from './deliver.ts';
import { finalizeOnce } from './finalize.ts';
import { lapseOnce } from './lapse-claims.ts';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';
import { placeOnce } from './place.ts';
import { relayOnce, type Stamped } from './relay.ts';
import { replayOnce } from './replay.ts';
import { startSlowLoops } from './slow-loops.ts';

const POLL_MS = 1000;
/**
 * A burst of submissions is stamped in batches instead of one by one; a fact after a silence is stamped at once. A final decision
 * hardly waits: somebody's pipeline does.
 */
const RELAY_GAP_MS = COALESCE_MS;
const URGENT_RELAY_GAP_MS = 5;
/** Slots that become free together are filled together; a new delivery leaves at once. */
const LEASE_GAP_MS = 10;
/** What is numbered within so long is counted together: fewer rows change more often. Who reads meanwhile reads what is not counted too. */
const COUNT_GAP_MS = 250;

export interface WorkerTools {
  services: Services;
  signals: Signals;
  egress: Egress;
  onRun: LoopOptions['onRun'];
  /** Is told of every fact that has its place in a ledger. */
  onFacts: (facts: readonly Stamped[]) => void;
}

type Gaps = Pick<LoopOptions, 'gapMs' | 'urgentGapMs'>;

/** Starts the loops; answers what stops them and waits for what is under way. */
export async function startWorker({
  services,
  signals,
  egress,
  onRun,
  onFacts,
}: WorkerTools): Promise<() => Promise<void>> {
  const loop = (name: string, run: LoopOptions['run'], gaps: Gaps = {}): Loop =>
    startLoop({ name, run, pollMs: POLL_MS, log: services.log, onRun, ...gaps });
  const onStamped = (facts: readonly Stamped[]) => {
    onFacts(facts);
    if (facts.length > 0) counting.nudge();
  };
  const turns = new Turns();
  const onFree = (atOnce: boolean) => delivering.nudge(atOnce);
  const deliverer = createDeliverer(services, egress, { onFree, onFacts: onStamped, turns });
  const relay = () => relayOnce(services, signals, { onStamped, slots: deliverer, turns });
  const relaying = loop('relay', relay, { gapMs: RELAY_GAP_MS, urgentGapMs: URGENT_RELAY_GAP_MS });
  // What is far behind is caught up without a pause.
  const count = async () => void ((await countOnce(services)).again && counting.nudge(true));
  const counting = loop('count', count, { gapMs: COUNT_GAP_MS, urgentGapMs: 0 });
  const finalizing = loop('finalize', () => finalizeOnce(services));
  const lapsing = loop('lapse-claims', () => lapseOnce(services));
  const delivering = loop('deliver', () => deliverer.runOnce(), { gapMs: LEASE_GAP_MS, urgentGapMs: 0 });
  const placing = loop('place', () => placeOnce(services));
  const replaying = loop('replay', () => replayOnce(services));
  const slow = startSlowLoops(services, onRun);
  await listen(signals, { relaying, finalizing, placing, delivering, replaying });
  const loops = [relaying, counting, finalizing, placing, lapsing, delivering, replaying, ...slow];
  return async () => {
    await Promise.all(loops.map((running) => running.stop()));
    await deliverer.drain();
  };
}

type Rung = Record<'relaying' | 'finalizing' | 'placing' | 'delivering' | 'replaying', Loop>;

/** What rings which loop. */
async function listen(signals: Signals, { relaying, finalizing, placing, delivering, replaying }: Rung): Promise<void> {
  await signals.on(RECORDED, (types) => {
    relaying.nudge(types.includes('item.finalized'));
    if (!types.includes('item.decided')) return;
    finalizing.nudge();
    placing.nudge();
  });
  await signals.on(DUE, () => {
    delivering.nudge(true);
    replaying.nudge();
  });
}
