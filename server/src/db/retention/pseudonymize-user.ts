// Replaces the name and address of a user by a pseudonym, everywhere except in their own row (KE6).
import type { Em } from '../orm.ts';
import { rawQuery } from '../raw-query.ts';

/** The erased user and their pseudonym. */
export interface Forgotten {
  userId: string;
  address: string;
  pseudonym: string;
}

/** Events processed per statement. */
const BATCH = 10_000;

/** The parameters of every statement here. */
const PERSON = `with person as (select $1::uuid as id, $2::text as address, $3::text as pseudonym, $4::text[] as names)`;
const parametersOf = ({ userId, address, pseudonym }: Forgotten, names: readonly string[]): unknown[] => [
  userId,
  address,
  pseudonym,
  [...names],
];

/** The shortened address, shown where their name is not (PM5). */
const SHORT = `left(p.address, 4) || '…' || right(p.address, 4)`;

/** Names without an ID are found by the names that the user has where there is an ID. */
const NAMES = `${PERSON}, called as (
    select u.name from app_user u, person p where u.id = p.id
    union select p.address from person p
    union select ${SHORT} from person p
    union select c.changed_by_name from project_change c, person p where c.changed_by = p.id
    union select c.subject from project_change c, person p where c.subject_id = p.id
    union select r.started_by_name from replay r, person p where r.started_by = p.id
    union select e.actor ->> 'name' from event e, person p where e.actor ->> 'id' = p.id::text)
  select name from called where name is not null`;

/** Every name that the user ever had. */
export async function namesOf(em: Em, who: Forgotten): Promise<string[]> {
  const rows = await rawQuery<{ name: string }>(em, NAMES, parametersOf(who, []));
  return rows.map(({ name }) => name);
}

const replaced = (json: string, path: string, condition: string): string =>
  `case when ${condition} then jsonb_set(${json}, '${path}', to_jsonb(p.pseudonym)) else ${json} end`;

const TAKEN_FROM = `e.data #>> '{taken_from,user_id}' = p.id::text`;
/** A user who declines an offer appears by address only (PM5). */
const ACTED = `(e.actor ->> 'id' = p.id::text or (e.actor ->> 'id' is null and e.actor ->> 'name' = ${SHORT}))`;
const HELD_BY = `e.data #>> '{item,claim,user_id}' = p.id::text`;

/** `$5` and `$6`: the positions. */
const EVENTS = `${PERSON}
  update event e set
    actor = ${replaced('e.actor', '{name}', ACTED)},
    data = ${replaced(replaced('e.data', '{taken_from,name}', TAKEN_FROM), '{item,claim,name}', HELD_BY)}
  from person p
  where e.position > $5 and e.position <= $6 and (${ACTED} or ${TAKEN_FROM} or ${HELD_BY})`;

/**
 * Replaces the name in a batch of events after the position `from`. Returns the end of the batch; null when there was
 * none.
 */
export async function renameInEvents(em: Em, who: Forgotten, from: number): Promise<number | null> {
  const [row] = await rawQuery<{ last: string | null }>(
    em,
    'select max(position) as last from (select position from event where position > $1 order by position limit $2) batch',
    [from, BATCH],
  );
  const last = row?.last ?? null;
  if (last === null) return null;
  await rawQuery(em, EVENTS, [...parametersOf(who, []), from, last]);
  return Number(last);
}

/** Only this changes lines of the change log (CL2). An open invite without its address could be used by anyone. */
const ELSEWHERE: readonly string[] = [
  'update project_change c set changed_by_name = p.pseudonym from person p where c.changed_by = p.id',
  'update project_change c set subject = p.pseudonym from person p where c.subject_id = p.id and c.subject is not null',
  `update project_change c set changed_by_name = p.pseudonym
   from person p where c.changed_by is null and c.action = 'offer.declined' and c.before ->> 'address' = p.address`,
  ...['before', 'after'].flatMap((side) => [
    `update project_change c set "${side}" = jsonb_set(c."${side}", '{name}', to_jsonb(p.pseudonym))
     from person p where c.subject_id = p.id and c."${side}" ->> 'name' is not null`,
    `update project_change c set subject = p.pseudonym, "${side}" = jsonb_set(c."${side}", '{address}', 'null')
     from person p where c."${side}" ->> 'address' = p.address`,
  ]),
  `update project_change c set after = jsonb_set(c.after, '{by_invite_of}', to_jsonb(p.pseudonym))
   from person p where c.after ->> 'by_invite_of' = any(p.names)
     and c.project_id in (select project_id from invite where created_by = p.id)`,
  `update project_change c set after = jsonb_set(c.after, '{by_offer_of}', to_jsonb(p.pseudonym))
   from person p where c.after ->> 'by_offer_of' = any(p.names)
     and c.project_id in (select m.project_id from project_change m where m.action = 'offer.made' and m.changed_by = p.id)`,
  'update replay r set started_by_name = p.pseudonym from person p where r.started_by = p.id',
  `update regression r set started_by_name = p.pseudonym from person p where r.started_by_name = any(p.names)
     and r.project_id in (select c.project_id from project_change c where p.id in (c.changed_by, c.subject_id))`,
  `update invite i set address = null, revoked_at = case when i.used_at is null then coalesce(i.revoked_at, now()) else i.revoked_at end
   from person p where i.address = p.address`,
  'delete from offer o using person p where p.address = o.address or p.id = o.made_by',
  'delete from refused_wallet r using person p where p.id in (r.user_id, r.refused_id)',
];

/** Replaces name and address everywhere else, except in the user's own row. */
export async function renameElsewhere(em: Em, who: Forgotten, names: readonly string[]): Promise<void> {
  for (const statement of ELSEWHERE) await rawQuery(em, `${PERSON} ${statement}`, parametersOf(who, names));
}
