// Removes names that owners set for others, when that was possible (PM4). The change log shows who set a name.
import type { Em } from '../orm.ts';

/**
 * A name is the person's own if they set it according to the change log. One that someone else set, or that came with
 * being added, is removed; a name that the log does not mention (the demo host) stays.
 */
const FORGET = `
  with batch as (
    select id from app_user where not name_settled order by id limit ? for no key update skip locked
  ), spoken as (
    select c.subject_id as id, coalesce(c.after ->> 'name', c.subject) as name, c.changed_by <> c.subject_id as by_others,
      c.action = 'member.changed' and c.changed_by = c.subject_id as chosen
    from project_change c join batch on batch.id = c.subject_id
    where c.changed_by is not null
      and ((c.action = 'member.changed' and c.after ->> 'name' is not null) or c.action = 'member.joined')
  ), given as (
    select u.id from app_user u join spoken s on s.id = u.id and s.name = u.name
    group by u.id having bool_or(s.by_others) and not bool_or(s.chosen)
  )
  update app_user u set name_settled = true, name = case when given.id is null then u.name end
  from batch left join given on given.id = batch.id
  where u.id = batch.id
  returning u.id`;

/** Checks a batch of the users that were not checked yet. Returns how many there were. */
export async function forgetGivenNames(em: Em, batchSize: number): Promise<number> {
  return (await em.execute<unknown[]>(FORGET, [batchSize])).length;
}
