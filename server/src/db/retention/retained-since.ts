// SQL for the time since when all items of a project still exist (KE4, KE5).

/**
 * SQL for the project $1: the time up to which items were deleted. Before it, only items with a learning are left,
 * which reviewers overrode, so statistics over single items start after it. Rollups are not affected.
 */
export const RETAINED_SINCE = `coalesce((select gone_until from keeping where project_id = $1 and kind = 'ledger'), '-infinity')`;
