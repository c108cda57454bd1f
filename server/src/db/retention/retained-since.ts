// SQL for the times since when all items of a project still exist, and since when with their content (KE2, KE4, KE5).

/**
 * SQL for the project $1: the time up to which items were deleted. Before it, only items with a learning are left,
 * which reviewers overrode, so statistics over single items start after it. Rollups are not affected.
 */
export const RETAINED_SINCE = `coalesce((select gone_until from keeping where project_id = $1 and kind = 'ledger'), '-infinity')`;

/**
 * SQL for the project $1: the time up to which contents may be redacted (KE2) or deleted with their items. Before it, only
 * items that a learning quotes or that were not settled are sure to have their content, so statistics over contents start
 * after it. It is the time of the last event that retention has examined: what is redacted arrived by then.
 */
export const CONTENT_SINCE = `greatest(${RETAINED_SINCE}, coalesce((
    select e.created_at from keeping k cross join lateral (
      select created_at from event where project_id = k.project_id and seq <= k.through_seq order by seq desc limit 1
    ) e where k.project_id = $1 and k.kind = 'payloads'), '-infinity'))`;
