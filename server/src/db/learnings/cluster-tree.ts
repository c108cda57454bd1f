// The chain of merges that a cluster belongs to.
import type { Em } from '../orm.ts';
import { rawQuery } from '../raw-query.ts';

/** These clusters and all their merge targets, whose reasons change with theirs. */
export async function withAncestors(em: Em, ids: readonly string[]): Promise<string[]> {
  const rows = await rawQuery<{ id: string }>(
    em,
    `with recursive up as (select id, merged_into from cluster where id = any($1::uuid[])
       union select c.id, c.merged_into from cluster c join up u on c.id = u.merged_into)
     select id from up`,
    [`{${ids.join(',')}}`],
  );
  return rows.map(({ id }) => id);
}
