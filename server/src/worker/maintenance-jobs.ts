// The maintenance jobs that nothing waits for: deletions, retention, reminders, monitoring and re-encryption.
import type { Services } from '../usecases/services.ts';
import { createRetentionJob, RETENTION_GAP_MS, RETENTION_POLL_MS } from './retention.ts';
import { type Loop, type LoopOptions, startLoop, type Next } from './loop.ts';
import { CANCEL_MS, cancelDeliveriesOnce } from './cancel-deliveries.ts';
import { createReencryptor } from './reencrypt-secrets.ts';
import { REMIND_MS, remindOnce } from './remind.ts';
import { createReminderSender, SEND_REMINDERS_MS } from './send-reminders.ts';
import { SWEEP_MS, sweepOnce } from './sweep.ts';
import { BUDGET_MS, watchBudgetsOnce } from './watch-budgets.ts';
import { purgeBatch } from '../db/retention/purge-project.ts';

export interface MaintenanceOptions extends Pick<LoopOptions, 'onRun'> {
  /** The delay of the first run of the next job, in ms (`spreadStarts`). */
  nextStart: () => number;
}

export function startMaintenanceJobs(services: Services, { onRun, nextStart }: MaintenanceOptions): Loop[] {
  const { log } = services;
  const reencryptor = createReencryptor(services);
  const retentionJob = createRetentionJob(services);
  const start: Start = (name, run, times) => startLoop({ name, run, firstMs: nextStart(), log, onRun, ...times });
  return [
    start('sweep', () => sweepOnce(services), { pollMs: SWEEP_MS }),
    start('budgets', () => watchBudgetsOnce(services), { pollMs: BUDGET_MS }),
    start('remind', () => remindOnce(services), { pollMs: REMIND_MS }),
    startSending(services, start),
    start('cancel', () => cancelDeliveriesOnce(services), { pollMs: CANCEL_MS }),
    start('purge', () => purgeOnce(services), { pollMs: PURGE_MS }),
    start('keep', () => retentionJob.runOnce(), { pollMs: RETENTION_POLL_MS, gapMs: RETENTION_GAP_MS }),
    start('reseal', () => reencryptor.runOnce(), { pollMs: SWEEP_MS }),
  ];
}

type Start = (name: string, run: LoopOptions['run'], times: Pick<LoopOptions, 'pollMs' | 'gapMs'>) => Loop;

/** Reminders whose POSTs end at about the same time are followed together. */
const SEND_GAP_MS = 10;

/** The loop that sends reminders runs again when a POST ends; a stop waits for those in flight. */
function startSending(services: Services, start: Start): Loop {
  const sender = createReminderSender(services, () => loop.wake());
  const loop = start('send-reminders', () => sender.runOnce(), { pollMs: SEND_REMINDERS_MS, gapMs: SEND_GAP_MS });
  return { wake: (urgent) => loop.wake(urgent), stop: () => loop.stop().then(() => sender.drain()) };
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
