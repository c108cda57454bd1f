// I9: how one transaction divides its batch of events among the event logs.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shareOut } from './count-events.ts';

const eventLogs = fc.uniqueArray(
  fc.record({ id: fc.uuid(), after: fc.nat(1000), need: fc.integer({ min: 1, max: 5000 }) }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 100 },
);

it('I9: a busy event log gets what quiet ones leave of the batch', () => {
  const quiet = Array.from({ length: 99 }, (_, n) => ({ id: `q${n}`, after: 5, head: 7 }));
  const shares = shareOut([{ id: 'busy', after: 0, head: 9000 }, ...quiet], 2000);
  expect(shares.find(({ projectId }) => projectId === 'busy')).toMatchObject({ after: 0, through: 2000 - 2 * 99 });
  expect(shares.filter(({ through }) => through === 7)).toHaveLength(99);
});

it('I9: every event log advances, none past its end, and no part of the batch is wasted', () => {
  fc.assert(
    fc.property(eventLogs, fc.integer({ min: 100, max: 4000 }), (made, batchSize) => {
      const behind = made.map(({ id, after, need }) => ({ id, after, head: after + need }));
      const shares = shareOut(behind, batchSize);
      const heads = new Map(behind.map(({ id, head }) => [id, head]));
      expect(shares).toHaveLength(behind.length);
      for (const { projectId, after, through } of shares) {
        expect(through).toBeGreaterThan(after);
        expect(through).toBeLessThanOrEqual(heads.get(projectId) ?? 0);
      }
      const used = shares.reduce((sum, { after, through }) => sum + through - after, 0);
      const needed = made.reduce((sum, { need }) => sum + need, 0);
      expect(used).toBe(Math.min(needed, batchSize));
    }),
  );
});
