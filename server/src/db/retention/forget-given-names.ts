// Names that owners gave to others, when they could, are forgotten (PM4). The change log tells who gave a name.
import type { Em } from '../orm.ts';

/**
 * A name is its person's own when the log has them take it. One that somebody else gave them, or by which they were added, is
 * none; of a name that the log does not speak of (the demo's host) nobody knows better, and it stays.
 */
const FORGET = `
  with portion as (
    select id from app_user where not name_settled order by id limit ? for no key update skip locked
  ), spoken as (
    select c.subject_id as id, coalesce(c.after ->> 'name', c.subject) as name, c.changed_by <> c.subject_id as by_others,
      c.action = 'member.changed' and c.changed_by = c.subject_id as chosen
    from project_change c join portion on portion.id = c.subject_id
    where c.changed_by is not null
      and ((c.action = 'member.changed' and c.after ->> 'name' is not null) or c.action = 'member.joined')
  ), given as (
    select u.id from app_user u join spoken s on s.id = u.id and s.name = u.name
    group by u.id having bool_or(s.by_others) and not bool_or(s.chosen)
  )
  update app_user u set name_settled = true, name = case when given.id is null then u.name end
  from portion left join given on given.id = portion.id
  where u.id = portion.id
  returning u.id`;

/** Looks through a portion of the people who were not looked through yet. Answers how many there were. */
export async function forgetGivenNames(em: Em, batchSize: number): Promise<number> {
  return (await em.execute<unknown[]>(FORGET, [batchSize])).length;
}
