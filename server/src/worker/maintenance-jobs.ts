// The maintenance jobs that nothing waits for: deletions, retention, reminders, monitoring and re-encryption.
import type { Services } from '../usecases/services.ts';
import { createRetentionJob, RETENTION_GAP_MS, RETENTION_POLL_MS } from './retention.ts';
import { type Loop, type LoopOptions, startLoop, type Next } from './loop.ts';
import { CANCEL_MS, cancelDeliveriesOnce } from './cancel-deliveries.ts';
import { createReencryptor } from './reencrypt-secrets.ts';
import { REMIND_MS, remindOnce } from './remind.ts';
import { SEND_REMINDERS_MS, sendRemindersOnce } from './send-reminders.ts';
import { SWEEP_MS, sweepOnce } from './sweep.ts';
import { BUDGET_MS, watchBudgetsOnce } from './watch-budgets.ts';
import { purgeBatch } from '../db/retention/purge-project.ts';

export function startMaintenanceJobs(services: Services, onRun: LoopOptions['onRun']): Loop[] {
  const { log } = services;
  const reencryptor = createReencryptor(services);
  const retentionJob = createRetentionJob(services);
  return [
    startLoop({ name: 'sweep', run: () => sweepOnce(services), pollMs: SWEEP_MS, log, onRun }),
    startLoop({ name: 'budgets', run: () => watchBudgetsOnce(services), pollMs: BUDGET_MS, log, onRun }),
    startLoop({ name: 'remind', run: () => remindOnce(services), pollMs: REMIND_MS, log, onRun }),
    startLoop({
      name: 'send-reminders',
      run: () => sendRemindersOnce(services),
      pollMs: SEND_REMINDERS_MS,
      log,
      onRun,
    }),
    startLoop({ name: 'cancel', run: () => cancelDeliveriesOnce(services), pollMs: CANCEL_MS, log, onRun }),
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

/** Polling interval, in milliseconds. */
const PURGE_MS = 60_000;
/** By then every process knows of the deletion, and work in progress is recorded; in seconds. */
const REST_SECONDS = 120;

/** Deletes one batch of one project. Several workers may run it concurrently: each takes another project, or none. */
export async function purgeOnce(services: Services, batchSize?: number): Promise<Next> {
  const taken = await services.db.write(async ({ em }) => {
    const [project] = await em.execute<{ id: string }[]>(
      `select id from project where deleted_at < now() - make_interval(secs => ?)
       order by deleted_at limit 1 for no key update skip locked`,
      [REST_SECONDS],
    );
    return project && { id: project.id, ...(await purgeBatch(em, project.id, batchSize)) };
  });
  if (taken?.gone) services.log.info({ project: taken.id }, 'a deleted project was purged');
  return { again: (taken?.rows ?? 0) > 0 };
}
