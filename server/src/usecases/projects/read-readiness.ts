// Reads what a project still needs before production (ON1), and hides that list from an owner.
import { AUTOMATIC_KEY_NAMES } from '@countersign/shared/limits';
import type { Readiness } from '@countersign/shared/schemas/onboarding';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { endpointOf, GETS_DELIVERIES, URL_OF_ENDPOINT } from '../../db/endpoint-columns.ts';
import { Member } from '../../db/entities/member.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** Attempts are looked up for the newest deliveries only, so that a long log costs no more than a short one. */
const DELIVERIES_READ = 50;

/**
 * Whether the endpoint `e` of the project `p` answered last with 2xx, to a delivery or a test event at its present URL; null before
 * the first answer. Failures on our side say nothing about it.
 */
const ANSWERED = `(select r.ok from (
    (select a.error is null as ok, a.started_at as at
      from (select d.id from delivery d where ${endpointOf('d')} = e.id
        and d.attempt > 0 order by d.created_at desc, d.id desc limit ${DELIVERIES_READ}) d
      join attempt a on a.delivery_id = d.id and a.url = ${URL_OF_ENDPOINT} and coalesce(a.error, '') not in ('internal', 'lease_lost')
      order by a.started_at desc limit 1)
    union all
    (select c.after ->> 'ok' = 'true', c.changed_at from project_change c where c.project_id = p.id
      and c.action = 'webhook.tested' and c.after ->> 'url' = ${URL_OF_ENDPOINT}
      and c.after ->> 'error' is distinct from 'internal' order by c.position desc limit 1)
  ) r order by r.at desc limit 1)`;

/** $1: the project; $2: now; $3: names of automatic keys; $4, $5: the default thresholds; $6: who asks. */
const READINESS = `select
    (select coalesce(bool_and(e.state = 'active' and coalesce(${ANSWERED}, false)), false)
      from webhook_endpoint e where e.project_id = p.id and ${GETS_DELIVERIES}) as receiver,
    exists (select 1 from member m where m.project_id = p.id and m.role <> 'owner')
      or exists (select 1 from invite i where i.project_id = p.id and i.used_at is null and i.revoked_at is null
        and i.expires_at > $2::timestamptz)
      or exists (select 1 from offer o where o.project_id = p.id and o.expires_at > $2::timestamptz) as reviewer,
    p.auto_threshold is distinct from $4::float8 or p.review_threshold is distinct from $5::float8
      or exists (select 1 from project_change c where c.project_id = p.id and c.action = 'settings.changed'
        and c.after ?| array['auto_threshold', 'review_threshold']) as thresholds,
    exists (select 1 from api_key k where k.project_id = p.id and k.revoked_at is null
      and coalesce(k.expires_at > $2::timestamptz, true) and k.name <> all($3::text[])) as key,
    exists (select 1 from member m where m.project_id = p.id and m.user_id = $6 and m.readiness_hidden) as hidden
  from project p where p.id = $1`;

/** For owners, who can complete each of these. Errors: `not_found`, `forbidden`. */
export function readReadiness(services: Services, actor: MemberActor, projectId: string): Promise<Readiness> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_keys');
    const { auto_threshold: auto, review_threshold: review } = DEFAULT_SETTINGS;
    const names = `{${AUTOMATIC_KEY_NAMES.map((name) => `"${name}"`).join(',')}}`;
    const values = [projectId, services.clock.now(), names, auto, review, actor.userId];
    const [row] = await rawQuery<Readiness>(em, READINESS, values);
    if (row === undefined) throw new Error(`There is no project ${projectId}.`);
    return row;
  });
}

/** Hides the list from this owner, in every browser. Errors: `not_found`, `forbidden`. */
export async function hideReadiness(services: Services, actor: MemberActor, projectId: string): Promise<void> {
  await services.db.write(async ({ em }) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_keys');
    await em.nativeUpdate(Member, { projectId, userId: actor.userId }, { readinessHidden: true });
  });
}
