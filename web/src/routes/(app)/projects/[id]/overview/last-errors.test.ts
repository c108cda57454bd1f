// The errors on the overview: dead deliveries, and those that are being retried.
import type { Delivery } from '@countersign/shared/api/learnings';
import { expect, it } from 'vitest';
import { lastErrors } from './last-errors.ts';

const delivery = (status: Delivery['status'], attempt: number) =>
  ({ id: `${status} ${attempt}`, status, attempt }) as Delivery;

it('are the dead ones and those that failed so far, newest first', () => {
  const rows = [
    delivery('pending', 0),
    delivery('pending', 2),
    delivery('succeeded', 3),
    delivery('sending', 0),
    delivery('sending', 1),
    delivery('paused', 1),
    delivery('paused', 0),
    delivery('cancelled', 4),
    delivery('dead', 10),
  ];
  expect(lastErrors(rows).map(({ id }) => id)).toEqual(['pending 2', 'sending 1', 'paused 1', 'dead 10']);
});

it('are limited to five', () => {
  expect(lastErrors(Array.from({ length: 9 }, () => delivery('dead', 10)))).toHaveLength(5);
});
