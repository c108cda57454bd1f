// The maintenance jobs that nothing waits for: deletion, monitoring and re-encryption.
import type { Services } from '../usecases/services.ts';
import { createRetentionJob, RETENTION_GAP_MS, RETENTION_POLL_MS } from './retention.ts';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';
import { PURGE_MS, purgeOnce } from './purge.ts';
import { createReencryptor } from './reencrypt-secrets.ts';
import { SWEEP_MS, sweepOnce } from './sweep.ts';
import { BUDGET_MS, watchBudgetsOnce } from './watch-budgets.ts';

export function startMaintenanceJobs(services: Services, onRun: LoopOptions['onRun']): Loop[] {
  const { log } = services;
  const reencryptor = createReencryptor(services);
  const retentionJob = createRetentionJob(services);
  return [
    startLoop({ name: 'sweep', run: () => sweepOnce(services), pollMs: SWEEP_MS, log, onRun }),
    startLoop({ name: 'budgets', run: () => watchBudgetsOnce(services), pollMs: BUDGET_MS, log, onRun }),
    startLoop({ name: 'purge', run: () => purgeOnce(services), pollMs: PURGE_MS, log, onRun }),
    startLoop({
      name: 'keep',
      run: () => retentionJob.runOnce(),
      pollMs: RETENTION_POLL_MS,
      gapMs: RETENTION_GAP_MS,
      log,
      onRun,
    }),
    startLoop({ name: 'reseal', run: () => reencryptor.runOnce(), pollMs: SWEEP_MS, log, onRun }),
  ];
}
