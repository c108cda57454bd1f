// Lists the items of a project that their deadline ended, the latest first (DL1).
import type { ItemStatus } from '@countersign/shared/enums';
import { rawQuery } from '../../db/raw-query.ts';
import { roleIn } from '../access/membership.ts';
import { decodeCursor, toPage, type Page, type PageQuery } from '../cursor.ts';
import type { MemberActor, Services } from '../services.ts';

/** What a list shows of an item that its deadline ended. */
export interface ExpiredItem {
  id: string;
  projectId: string;
  status: ItemStatus;
  preview: string;
  title: string | null;
  expiredAt: Date;
}

/** $1: the project; $2 and $3: the end of the last page; $4: how many. An audit is not known as one, and ends as approved (AU2). */
const EXPIRED = `
  select id, status, preview, title, (extract(epoch from expired_at) * 1000)::float8 as at
  from item where project_id = $1::uuid and expired_at is not null and not audit
    and ($2::timestamptz is null or (expired_at, id) < ($2::timestamptz, $3::uuid))
  order by expired_at desc, id desc limit $4::int`;

interface Row {
  id: string;
  status: ItemStatus;
  preview: string;
  title: string | null;
  at: number;
}

/** For members. Errors: `not_found`, `invalid_cursor`. */
export function listExpired(
  services: Services,
  actor: MemberActor,
  { projectId, after, limit }: PageQuery,
): Promise<Page<ExpiredItem>> {
  const end = decodeCursor(after);
  return services.db.read(async (em) => {
    await roleIn(em, actor.userId, projectId);
    const rows = await rawQuery<Row>(em, EXPIRED, [projectId, end?.at ?? null, end?.id ?? null, limit + 1]);
    const items = rows.map(({ at, ...row }): ExpiredItem => ({ ...row, projectId, expiredAt: new Date(at) }));
    return toPage(items, limit, (item) => ({ at: item.expiredAt, id: item.id }));
  });
}
