// Checks whether a database satisfies the invariants: after a crash, after a restore, or on request.
import { IsolationLevel } from '@mikro-orm/core';
import type { Em, Orm } from '../db/orm.ts';
import type { Check, Fault, Read } from './check.ts';
import { checkAnswers } from './check-answers.ts';
import { checkDelivered } from './check-delivered.ts';
import { checkDeliveries } from './check-deliveries.ts';
import { checkItems } from './check-items.ts';
import { checkFigures, checkKeys, checkNumbers } from './check-event-logs.ts';

export type { Check, Fault };

/** I8 concerns sockets and cannot be read from a database. */
export const checksOf = (orm: Orm): Check[] => [
  checkNumbers,
  checkItems,
  checkKeys,
  checkDeliveries,
  checkDelivered,
  checkAnswers,
  checkFigures(orm),
];

/** Gives each check a snapshot, also while the service is running. */
export const reader =
  (orm: Orm): Read =>
  (work) =>
    orm.em
      .fork()
      .transactional((em) => work(em as Em), { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
