// Inserts events for a page under test, past the use cases, whose cost is not measured.
import { EVENTS_APPENDED } from '../../server/src/db/connection/channels.ts';
import type { BenchDatabase } from './environment.ts';

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const iso = (column: string) => `to_char(${column} at time zone 'utc', ${ISO})`;
const SYSTEM = `'{"kind":"system","id":null,"name":"Bench"}'::jsonb`;

const ARRIVE = `
  with arrived as (
    insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, model, source, rule,
      auto_threshold, review_threshold, matched_flags, settings_version, version, created_at, due_at)
    select gen_random_uuid(), $1, 'queued', '"What may be returned?"', '"Everything."', 0.8, '{}', 'Bench ' || n, 'gpt', 'mail', 'RT4',
      0.95, 0.7, '{}', 1, 1, now(), now() + $3::int * interval '1 minute' + n * interval '1 millisecond' from generate_series(1, $2::int) as n
    returning *
  ), stated as (
    insert into event (id, project_id, type, item_id, actor, data, created_at)
    select gen_random_uuid(), project_id, 'item.queued', id, ${SYSTEM}, jsonb_build_object('item_id', id, 'version', 1, 'reason', null,
      'item', jsonb_build_object('id', id, 'project_id', project_id, 'status', status, 'preview', preview, 'confidence', confidence,
        'risk_flags', risk_flags, 'model', model, 'source', source, 'created_at', ${iso('created_at')}, 'due_at', ${iso('due_at')},
        'version', 1, 'claim', null)), now()
    from arrived
  ), notified as (select pg_notify('${EVENTS_APPENDED}', 'item.queued'))
  select id from arrived, notified`;

const LEAVE = `
  with left_it as (
    update item set status = 'approved', version = version + 1, decided_at = now() where id = any($1::uuid[]) returning *
  ), stated as (
    insert into event (id, project_id, type, item_id, actor, data, created_at)
    select gen_random_uuid(), project_id, 'item.decided', id, ${SYSTEM}, jsonb_build_object('item_id', id, 'version', version,
      'status', status, 'action', 'approve', 'reason', null, 'undo_until', null), now()
    from left_it
  )
  select pg_notify('${EVENTS_APPENDED}', 'item.decided')`;

export interface Traffic {
  /** This many items arrive in one commit, due this many minutes from now; returns their ids. */
  arrive(count: number, dueInMinutes: number): Promise<string[]>;
  /** They are decided, in one commit. */
  leave(ids: string[]): Promise<void>;
}

export function trafficOf({ sql }: BenchDatabase, projectId: string): Traffic {
  return {
    arrive: async (count, minutes) =>
      (await sql<{ id: string }>(ARRIVE, [projectId, count, minutes])).map(({ id }) => id),
    leave: async (ids) => void (await sql(LEAVE, [ids])),
  };
}

/** Runs this many steps, `gapMs` apart or each as soon as the previous is done. */
export async function atRate(steps: number, gapMs: number, step: (index: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  for (let index = 0; index < steps; index += 1) {
    const early = startedAt + index * gapMs - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    await step(index);
  }
}
