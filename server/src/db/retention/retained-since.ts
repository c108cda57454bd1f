// Since when the items of a project are all still there (KE4, KE5).

/**
 * SQL, of the project $1: the moment up to which items have gone. Of what happened until then only those are left that a learning
 * quotes, which people overrode: whoever judges by single items begins after it. What the rollups counted is not touched by it.
 */
export const RETAINED_SINCE = `coalesce((select gone_until from keeping where project_id = $1 and kind = 'ledger'), '-infinity')`;
