// Lists the deliveries of a project, newest first, with an optional filter.
import { type FilterQuery, type Loaded, raw } from '@mikro-orm/core';
import type { DeliveryFilter } from '@countersign/shared/schemas/parts/delivery-filter';
import { statusRange } from '@countersign/shared/formats/delivery-terms';
import type { Role } from '@countersign/shared/enums';
import { Delivery } from '../../db/entities/delivery.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { decodeCursor, toPage, type PageQuery } from '../cursor.ts';
import { type DeliveryExtras, extrasOf } from './delivery-extras.ts';
import { type Targets, targetsOf } from './read-delivery.ts';

export interface DeliveryPage {
  /** Without their bodies: a page of those may be megabytes. */
  rows: Loaded<Delivery, never, '*', 'body'>[];
  extras: Map<string, DeliveryExtras>;
  nextCursor: string | null;
  role: Role;
  targets: Targets;
}

/**
 * The deliveries that match the filter. A cursor is valid under any filter. Errors: `not_found`, `forbidden`, `invalid_cursor`.
 */
export function listDeliveries(
  services: Services,
  actor: MemberActor,
  { projectId, after, limit, ...filter }: PageQuery & DeliveryFilter,
): Promise<DeliveryPage> {
  return services.db.read(async (em) => {
    const role = await requirePermission(em, { userId: actor.userId, projectId }, 'see_deliveries');
    const cursor = decodeCursor(after);
    const before =
      cursor === null ? {} : { [raw('(created_at, id)')]: { $lt: raw('(?, ?::uuid)', [cursor.at, cursor.id]) } };
    const found = await em.find(
      Delivery,
      { $and: [{ projectId }, ...conditions(filter), ...ofEndpoint(projectId, filter), before] },
      { orderBy: { createdAt: 'desc', id: 'desc' }, limit: limit + 1, exclude: ['body'] },
    );
    const { rows, nextCursor } = toPage(found, limit, (row) => ({ at: row.createdAt, id: row.id }));
    return {
      rows,
      extras: await extrasOf(
        em,
        rows.map(({ id }) => id),
      ),
      nextCursor,
      role,
      targets: await targetsOf(em, projectId),
    };
  });
}

const WENT_WRONG = { error: { $ne: null } } satisfies FilterQuery<Delivery>;

/** The same conditions as `answersDelivery` applies to a row. */
function conditions({ status, code, event, item }: DeliveryFilter): FilterQuery<Delivery>[] {
  // Only a 2xx is a success (WH1), so no query is needed.
  if (status === 'succeeded' && code !== undefined && !code.startsWith('2')) return [{ id: [] }];
  return [
    ...(status === undefined ? [] : [status === 'failed' ? WENT_WRONG : { status }]),
    ...(code === undefined ? [] : ofCode(code)),
    ...(event === undefined ? [] : [{ webhookId: event }]),
    ...(item === undefined ? [] : [{ itemId: item }]),
  ];
}

/** That of the settings has no ID of its own in the rows. */
const ofEndpoint = (projectId: string, { endpoint }: DeliveryFilter): FilterQuery<Delivery>[] =>
  endpoint === undefined ? [] : [{ endpointId: endpoint === projectId ? null : endpoint }];

function ofCode(code: string): FilterQuery<Delivery>[] {
  const range = statusRange(code);
  if (range === null) return [{ httpStatus: null }, WENT_WRONG];
  const [from, to] = range;
  const within = from === to ? { httpStatus: from } : { httpStatus: { $gte: from, $lte: to } };
  // No such answer is a success: the extra condition lets the query use the index of failed deliveries.
  return from >= 300 ? [within, WENT_WRONG] : [within];
}
