// Searches items of any status and people in the projects of a member.
import { SEARCH_RESULTS } from '@countersign/shared/limits';
import type { SearchResults } from '@countersign/shared/schemas/queue';
import type { ItemStatus, Role } from '@countersign/shared/enums';
import { uuid } from '@countersign/shared/schemas/parts/ids';
import { displayName } from '../../domain/access/actor.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import type { MemberActor, Services } from '../services.ts';

/** How many items of all projects together one search examines: about 30 ms of the database. */
const MAX_EXAMINED = 20_000;
/** More words than this narrow nothing. */
const MAX_WORDS = 8;

/** In the collation C only A to Z have a lower case, as in the filter of the queue (`answers`). */
const folded = (what: string): string => `lower(${what} collate "C")`;

const COLUMNS = 'i.id, i.project_id, i.status, i.preview, i.title, extract(epoch from i.created_at) * 1000 as at';

/** $1: the user. Archived projects are in no list (AR1). */
const MINE = `mine as (
  select m.project_id as p from member m join project on project.id = m.project_id
  where m.user_id = $1::uuid and project.archived_at is null)`;

/**
 * $2: the words, all of which must occur; $3: how many of each project are examined, newest first; $4: how many are
 * found. One more row of each project is read, to know whether older ones were left out.
 */
const BY_WORDS = `with ${MINE}, newest as materialized (
    select i.* from mine cross join lateral (
      select id, project_id, status, preview, title, created_at, row_number() over (order by created_at desc, id desc) > $3::int as beyond
      from item where project_id = p order by created_at desc, id desc limit $3::int + 1) i
  ), found as (
    select * from newest where not beyond
      and (select bool_and(strpos(${folded("concat_ws(e'\\n', title, preview)")}, ${folded('word')}) > 0) from unnest($2::text[]) as word)
    order by created_at desc, id desc limit $4::int)
  select ${COLUMNS}, exists (select 1 from newest where beyond) as cut
  from (select true) as one left join found i on true order by i.created_at desc, i.id desc`;

const BY_ID = `with ${MINE}
  select ${COLUMNS}, false as cut
  from item i join mine on mine.p = i.project_id where i.id = $2::uuid`;

/** $2: the text, in a name or at the start of a wallet address. Each person once, in their project that is first by name. */
const PEOPLE = `with ${MINE}
  select distinct on (u.id) u.id as user_id, m.project_id, u.name, u.address, m.role
  from mine join member m on m.project_id = mine.p join app_user u on u.id = m.user_id join project p on p.id = m.project_id
  where strpos(${folded(`coalesce(u.name, '')`)}, ${folded('$2::text')}) > 0 or starts_with(u.address, $2::text)
  order by u.id, p.name, p.id limit $3::int`;

/** Everything that matches the text, in the projects of which the actor is a member. `examined` is the limit in items. */
export function search(
  { db }: Services,
  { userId }: MemberActor,
  { text, examined = MAX_EXAMINED }: { text: string; examined?: number },
): Promise<SearchResults> {
  return db.read(async (em) => {
    const rows = uuid.safeParse(text).success
      ? await rawQuery<ItemHit>(em, BY_ID, [userId, text])
      : await itemsByWords(em, userId, { text, examined });
    const people = await rawQuery<PersonHit>(em, PEOPLE, [userId, text, SEARCH_RESULTS]);
    return {
      items: rows.flatMap(({ id, ...row }) => (id === null ? [] : [toFoundItem({ id, ...row })])),
      people: people.map(({ name, address, ...person }) => ({ ...person, name: displayName({ name, address }) })),
      complete: rows.every(({ cut }) => !cut),
    };
  });
}

interface ItemHit {
  /** Null in the one row of a search that found nothing. */
  id: string | null;
  project_id: string;
  status: ItemStatus;
  preview: string;
  title: string | null;
  at: string | number;
  cut: boolean;
}

interface PersonHit {
  user_id: string;
  project_id: string;
  name: string | null;
  address: string;
  role: Role;
}

async function itemsByWords(
  em: Em,
  userId: string,
  { text, examined }: { text: string; examined: number },
): Promise<ItemHit[]> {
  const [projects] = await rawQuery<{ n: string }>(em, `with ${MINE} select count(*) as n from mine`, [userId]);
  const each = Math.floor(examined / Math.max(1, Number(projects?.n)));
  const words = text.split(/\s+/).slice(0, MAX_WORDS);
  return rawQuery<ItemHit>(em, BY_WORDS, [userId, words, each, SEARCH_RESULTS]);
}

const toFoundItem = ({ id, project_id, status, preview, title, at }: ItemHit & { id: string }) => ({
  ...{ id, project_id, status, preview, title },
  created_at: new Date(Number(at)).toISOString(),
});
