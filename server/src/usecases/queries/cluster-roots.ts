// Where the clusters of a project stand: in themselves, or in the one they were merged into, however often that was done.

/** A recursive query `root` with `id` and `root`, to stand behind `with recursive`; `project` is its parameter. */
export const rootsOf = (project: string): string =>
  `root as (select id, id as root from cluster where project_id = ${project} and merged_into is null
     union all select c.id, r.root from cluster c join root r on c.merged_into = r.id)`;
