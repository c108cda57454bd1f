// The loops that nobody waits for: they clear away, watch and seal anew.
import type { Services } from '../usecases/services.ts';
import { createKeeper, KEEP_GAP_MS, KEEP_MS } from './keep.ts';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';
import { PURGE_MS, purgeOnce } from './purge.ts';
import { createResealer } from './reseal.ts';
import { SWEEP_MS, sweepOnce } from './sweep.ts';
import { BUDGET_MS, watchBudgetsOnce } from './watch-budgets.ts';

export function startSlowLoops(services: Services, onRun: LoopOptions['onRun']): Loop[] {
  const { log } = services;
  const resealer = createResealer(services);
  const keeper = createKeeper(services);
  return [
    startLoop({ name: 'sweep', run: () => sweepOnce(services), pollMs: SWEEP_MS, log, onRun }),
    startLoop({ name: 'budgets', run: () => watchBudgetsOnce(services), pollMs: BUDGET_MS, log, onRun }),
    startLoop({ name: 'purge', run: () => purgeOnce(services), pollMs: PURGE_MS, log, onRun }),
    startLoop({ name: 'keep', run: () => keeper.runOnce(), pollMs: KEEP_MS, gapMs: KEEP_GAP_MS, log, onRun }),
    startLoop({ name: 'reseal', run: () => resealer.runOnce(), pollMs: SWEEP_MS, log, onRun }),
  ];
}
