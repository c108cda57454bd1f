// Tests which automatic approvals are drawn for audits: always the same ones, and at the project's rate.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROLES } from '@countersign/shared/enums';
import { hashToUnit } from '../../crypto/hash-to-unit.ts';
import { isBlind, isDrawn } from './audit.ts';

const rate = fc.double({ min: 0, max: 1, noNaN: true });

const SALT = 'b5a3b0a4-6a3c-4c1b-9d55-0a3f6f1c2d3e';
const drawn = (id: string, at: number, salt = SALT) => isDrawn(hashToUnit(`${salt} ${id}`), at);

describe('AU1: what is drawn for an audit', () => {
  it('is nothing at 0 and everything at 1', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(drawn(id, 0)).toBe(false);
        expect(drawn(id, 1)).toBe(true);
      }),
    );
  });

  it('depends on the salt and the id, and stays drawn at every higher rate', () => {
    fc.assert(
      fc.property(fc.uuid(), rate, rate, (id, one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        expect(drawn(id, low)).toBe(drawn(id, low));
        if (drawn(id, low)) expect(drawn(id, high)).toBe(true);
      }),
    );
  });

  // Ids of one moment differ in few positions: these must be distributed evenly too.
  const NEIGHBOURS = Array.from(
    { length: 20_000 },
    (_, n) => `0192f3a4-b5c6-7d8e-8000-${n.toString(16).padStart(12, '0')}`,
  );

  it.each([0.02, 0.1, 0.5, 0.9])('is the right share of neighbouring ids at the rate %d', (share) => {
    const count = NEIGHBOURS.filter((id) => drawn(id, share)).length;
    // Four standard deviations of a fair draw.
    expect(Math.abs(count - share * NEIGHBOURS.length)).toBeLessThan(
      4 * Math.sqrt(NEIGHBOURS.length * share * (1 - share)),
    );
  });

  it('AU3: differs with another salt, so that an id alone reveals nothing', () => {
    const [one, other] = [SALT, SALT.replace('b5', 'b6')].map((salt) =>
      NEIGHBOURS.filter((id) => drawn(id, 0.5, salt)),
    );
    const others = new Set(other);
    const both = (one ?? []).filter((id) => others.has(id)).length;
    // A quarter of them, within four standard deviations.
    expect(Math.abs(both - NEIGHBOURS.length / 4)).toBeLessThan(4 * Math.sqrt((NEIGHBOURS.length * 3) / 16));
  });
});

describe('AU3: who must not see what identifies audits', () => {
  it.each(ROLES)('decides whether a %s sees what identifies audits', (role) => {
    expect(isBlind(role, false)).toBe(false);
    expect(isBlind(role, true)).toBe(role === 'reviewer');
  });
});
