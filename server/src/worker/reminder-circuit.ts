// The circuit of a target of reminders (NO5), by the same rule as that of a webhook (WH5).
import { targetKey } from '@countersign/shared/formats/target-key';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import { sha256Hex } from '../crypto/tokens.ts';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { afterFailure, circuitEffect } from '../domain/webhooks/health.ts';
import type { Outcome } from '../domain/webhooks/retry.ts';

/** A target in the database: by its digest, because an index holds no long URL. */
export const targetDigest = (target: Pick<Notification, 'kind' | 'url'>): string => sha256Hex(targetKey(target));

interface Target {
  project_id: string;
  target: string;
  /** The single attempt that an open circuit let through. */
  probe: boolean;
}

const CLOSE = `
  update notification_target set failures = 0, openings = 0, open_until = null
  where project_id = $1 and target = $2 and (failures > 0 or open_until is not null)`;
/** Also locks the row. */
const HOLD = `
  insert into notification_target as t (project_id, target) values ($1, $2)
  on conflict (project_id, target) do update set failures = t.failures
  returning failures, openings, open_until is not null as resting`;
const COUNT = `
  update notification_target set failures = $3, openings = $4,
    open_until = coalesce(now() + make_interval(secs => $5::float8), open_until)
  where project_id = $1 and target = $2`;

/** Applies the result of an attempt to the circuit of its target. Call it in a transaction. */
export async function noteTarget(em: Em, { project_id, target, probe }: Target, outcome: Outcome): Promise<void> {
  const effect = circuitEffect(outcome, probe);
  if (effect === 'none') return;
  if (effect === 'close') return void (await rawQuery(em, CLOSE, [project_id, target]));
  const [held] = await rawQuery<{ failures: number; openings: number; resting: boolean }>(em, HOLD, [
    project_id,
    target,
  ]);
  if (held === undefined) return;
  const { failures, openings, restSeconds } = afterFailure(held, {
    ...{ probe, resting: held.resting, jitter: Math.random() },
  });
  await rawQuery(em, COUNT, [project_id, target, failures, openings, restSeconds]);
}
