// The maintenance jobs that nothing waits for: deletions, retention, reminders, monitoring and re-encryption.
import type { Services } from '../usecases/services.ts';
import { createRetentionJob, RETENTION_GAP_MS, RETENTION_POLL_MS } from './retention.ts';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';
import { CANCEL_MS, cancelDeliveriesOnce } from './cancel-deliveries.ts';
import { PURGE_MS, purgeOnce } from './purge.ts';
import { createReencryptor } from './reencrypt-secrets.ts';
import { REMIND_MS, remindOnce } from './remind.ts';
import { createReminderSender, SEND_REMINDERS_MS } from './send-reminders.ts';
import { SWEEP_MS, sweepOnce } from './sweep.ts';
import { BUDGET_MS, watchBudgetsOnce } from './watch-budgets.ts';

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
  return { wake: (urgency) => loop.wake(urgency), stop: () => loop.stop().then(() => sender.drain()) };
}
