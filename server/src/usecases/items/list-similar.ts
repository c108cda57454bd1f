// Lists waiting items of the same project whose preview is nearly that of an item (QU28).
import { SIMILAR_ITEMS } from '@countersign/shared/limits';
import type { SimilarItems } from '@countersign/shared/schemas/queue';
import { OPEN_STATUSES, type OpenStatus } from '@countersign/shared/enums';
import { may } from '../../domain/access/permissions.ts';
import { FILE_PREVIEW } from '../../domain/items/preview.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { findItem } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** How many waiting items of each status are compared, first due first: about 20 ms of the database. */
const COMPARED = 2000;
/** From this share of equal trigrams on, two previews are nearly the same. */
const NEARLY = 0.6;

/** $3: the user, whose own claims count as free; $4: now. Each status has its own index range. */
const waitingIn = (status: OpenStatus): string => `
  (select id, preview, due_at from item
   where project_id = $1::uuid and status = '${status}' and id <> $2::uuid
     and (claim_expires_at is null or claimed_by = $3::uuid or claim_expires_at <= $4::timestamptz)
   order by due_at, id limit ${COMPARED})`;

/** $1: the project; $2: the item; $5: a pattern of previews that say nothing of their content. The suggestions are compared for the items found alone: they are large. */
const similarIn = (statuses: readonly OpenStatus[]): string => `
  with same as (select preview, suggestion from item where id = $2::uuid),
  waiting as (${statuses.map(waitingIn).join(' union all ')}),
  near as (
    select w.id, w.due_at, similarity(w.preview, same.preview) as likeness
    from waiting w, same
    where same.preview <> '' and same.preview !~ $5::text and similarity(w.preview, same.preview) >= ${NEARLY}
    order by likeness desc, w.due_at, w.id limit ${SIMILAR_ITEMS + 1})
  select n.id, i.preview, i.title, i.suggestion = same.suggestion as same_suggestion
  from near n cross join same join item i on i.id = n.id order by n.likeness desc, n.due_at, n.id`;

/** The most alike first. Errors: `not_found`. */
export function listSimilar(services: Services, actor: MemberActor, itemId: string): Promise<SimilarItems> {
  return services.db.read(async (em) => {
    const { item, role } = await findItem(em, actor.userId, itemId);
    const decides: Record<OpenStatus, boolean> = {
      queued: may(role, 'decide_queued'),
      escalated: may(role, 'decide_escalated'),
    };
    const statuses = OPEN_STATUSES.filter((status) => decides[status]);
    const rows = await rawQuery<SimilarItems['items'][number]>(em, similarIn(statuses), [
      ...[item.projectId, itemId, actor.userId],
      ...[services.clock.now(), FILE_PREVIEW],
    ]);
    return { items: rows.slice(0, SIMILAR_ITEMS), more: rows.length > SIMILAR_ITEMS };
  });
}
