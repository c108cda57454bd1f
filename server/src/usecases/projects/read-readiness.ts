// Reads what a project still needs before production (ON1): receiver, reviewer, thresholds, key.
import { AUTOMATIC_KEY_NAMES } from '@countersign/shared/limits';
import type { Readiness } from '@countersign/shared/schemas/onboarding';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { GETS_DELIVERIES, URL_OF_ENDPOINT } from '../../db/endpoint-columns.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/**
 * $1: the project; $2: now; $3: names of automatic keys; $4, $5: the default thresholds. The receiver is looked up among the newest
 * deliveries, so that a long log costs no more than a short one.
 */
const READINESS = `select
    exists (select 1 from webhook_endpoint e where e.project_id = p.id and ${GETS_DELIVERIES} and (
      exists (select 1 from (select id from delivery where project_id = p.id and status = 'succeeded'
          order by created_at desc, id desc limit 50) d
        join attempt a on a.delivery_id = d.id and a.url = ${URL_OF_ENDPOINT} and a.error is null)
      or exists (select 1 from project_change c where c.project_id = p.id and c.action = 'webhook.tested'
        and c.after ->> 'ok' = 'true' and c.after ->> 'url' = ${URL_OF_ENDPOINT})
    )) as receiver,
    exists (select 1 from member m where m.project_id = p.id and m.role <> 'owner')
      or exists (select 1 from invite i where i.project_id = p.id and i.used_at is null and i.revoked_at is null
        and i.expires_at > $2::timestamptz)
      or exists (select 1 from offer o where o.project_id = p.id and o.expires_at > $2::timestamptz) as reviewer,
    p.auto_threshold is distinct from $4::float8 or p.review_threshold is distinct from $5::float8
      or exists (select 1 from project_change c where c.project_id = p.id and c.action = 'settings.changed'
        and c.after ?| array['auto_threshold', 'review_threshold']) as thresholds,
    exists (select 1 from api_key k where k.project_id = p.id and k.revoked_at is null
      and coalesce(k.expires_at > $2::timestamptz, true) and k.name <> all($3::text[])) as key
  from project p where p.id = $1`;

/** For owners, who can complete each of these. Errors: `not_found`, `forbidden`. */
export function readReadiness(services: Services, actor: MemberActor, projectId: string): Promise<Readiness> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_keys');
    const { auto_threshold: auto, review_threshold: review } = DEFAULT_SETTINGS;
    const names = `{${AUTOMATIC_KEY_NAMES.map((name) => `"${name}"`).join(',')}}`;
    const [row] = await rawQuery<Readiness>(em, READINESS, [projectId, services.clock.now(), names, auto, review]);
    if (row === undefined) throw new Error(`There is no project ${projectId}.`);
    return row;
  });
}
