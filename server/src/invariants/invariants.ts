// Whether a database keeps the invariants: after a crash, a restore, or when somebody asks.
import { IsolationLevel } from '@mikro-orm/core';
import type { Em, Orm } from '../db/orm.ts';
import type { Check, Fault, Read } from './check.ts';
import { checkDeliveries, checkDelivered } from './check-deliveries.ts';
import { checkItems } from './check-items.ts';
import { checkFigures, checkKeys, checkNumbers } from './check-event-logs.ts';

export type { Check, Fault };

/** I8 is of sockets: nothing of it lies in a database. */
export const checksOf = (orm: Orm): Check[] => [
  checkNumbers,
  checkItems,
  checkKeys,
  checkDeliveries,
  checkDelivered,
  checkFigures(orm),
];

/** For the checks: every question sees one moment, also while the service works. */
export const reader =
  (orm: Orm): Read =>
  (work) =>
    orm.em
      .fork()
      .transactional((em) => work(em as Em), { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
