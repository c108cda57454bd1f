// The two-phase rotation of webhook secrets over time: which secrets sign, and in which position.
import { OVERLAP_HOURS } from '@countersign/shared/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { promote, secretContext, secretsOf, settle, signingSecrets, type StoredSecrets } from './signing.ts';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const HOUR = 3_600_000;
const at = (hours: number) => new Date(START + hours * HOUR);
const justBefore = (hours: number) => new Date(START + hours * HOUR - 1);

const settled: StoredSecrets<string> = {
  current: 'old',
  next: null,
  promoteAt: null,
  previous: null,
  previousUntil: null,
  overlapHours: 24,
};

/** A rotation that began at hour 0. */
const rolling: StoredSecrets<string> = { ...settled, next: 'new', promoteAt: at(24) };

describe('rotation of a webhook secret', () => {
  it('overlaps for a day, or as long as was chosen', () => {
    expect(OVERLAP_HOURS).toEqual({ least: 1, usual: 24, most: 168 });
    const short = { ...rolling, promoteAt: at(1), overlapHours: 1 };
    expect(signingSecrets(short, at(1))).toEqual(['new', 'old']);
    expect(signingSecrets(short, justBefore(2))).toEqual(['new', 'old']);
    expect(signingSecrets(short, at(2))).toEqual(['new']);
    // Promoted by hand: the old one stays for the overlap from then.
    const promoted = promote({ ...short, promoteAt: at(168), overlapHours: 168 }, at(3));
    expect(signingSecrets(promoted, justBefore(171))).toEqual(['new', 'old']);
    expect(signingSecrets(promoted, at(171))).toEqual(['new']);
  });

  it('without a rotation one secret signs', () => {
    expect(signingSecrets(settled, at(1000))).toEqual(['old']);
  });

  it.each([
    ['at its start', at(0), ['old', 'new']],
    ['a moment before a day has passed', justBefore(24), ['old', 'new']],
    ['after a day: the new one is promoted automatically', at(24), ['new', 'old']],
    ['a moment before the old one’s day ends', justBefore(48), ['new', 'old']],
    ['after two days', at(48), ['new']],
    ['long after, although nothing was stored meanwhile', at(1000), ['new']],
  ])('without a manual step, %s', (_, now, expected) => {
    expect(signingSecrets(rolling, now)).toEqual(expected);
  });

  it('after an early manual promotion the old secret stays secondary for a day from then', () => {
    const promoted = promote(rolling, at(1));
    expect(signingSecrets(promoted, at(1))).toEqual(['new', 'old']);
    expect(signingSecrets(promoted, justBefore(25))).toEqual(['new', 'old']);
    expect(signingSecrets(promoted, at(25))).toEqual(['new']);
  });

  it('promoting without a waiting secret changes nothing', () => {
    expect(promote(settled, at(1))).toEqual(settled);
    const promoted = promote(rolling, at(1));
    expect(promote(promoted, at(2))).toEqual(promoted);
  });

  it("a second rotation within the old secret's day gives the second position to the newest", () => {
    const again = { ...promote(rolling, at(1)), next: 'newest', promoteAt: at(26) };
    expect(signingSecrets(again, at(2))).toEqual(['new', 'newest']);
    expect(signingSecrets(again, at(26))).toEqual(['newest', 'new']);
    expect(signingSecrets(again, at(50))).toEqual(['newest']);
  });

  it('settling stores what the time has changed, and is idempotent', () => {
    expect(settle(rolling, justBefore(24))).toEqual(rolling);
    const done = settle(rolling, at(30));
    expect(done).toEqual({ ...settled, current: 'new', promoteAt: null, previous: 'old', previousUntil: at(48) });
    expect(settle(done, at(30))).toEqual(done);
    expect(settle(done, at(48))).toEqual({ ...settled, current: 'new' });
  });

  it('a row without the later columns is settled', () => {
    expect(secretsOf({ current: 'old' })).toEqual(settled);
    expect(secretsOf({ current: 'old', next: 'new', promoteAt: at(24) })).toEqual(rolling);
    // A statement returns times as text.
    expect(secretsOf({ current: 'old', next: 'new', promoteAt: '2026-03-02 00:00:00.000+00' })).toEqual(rolling);
  });

  it('an encrypted secret is bound to its project', () => {
    expect(secretContext('a')).not.toBe(secretContext('b'));
  });
});

const hour = fc.integer({ min: 0, max: 200 });

/** What an owner may do, hour by hour: begin a rotation when none is pending, promote, or nothing. */
const history = fc.array(fc.tuple(hour, fc.constantFrom('rotate', 'promote')), { maxLength: 8 }).map((steps) => {
  const inOrder = [...steps].sort(([one], [other]) => one - other);
  return inOrder.reduce<{ stored: StoredSecrets<string>; until: number }>(
    ({ stored }, [hours, action], index) => {
      const now = settle(stored, at(hours));
      if (action === 'promote') return { stored: promote(now, at(hours)), until: hours };
      const next = { ...now, next: `secret ${index}`, promoteAt: at(hours + 24) };
      return { stored: now.next === null ? next : now, until: hours };
    },
    { stored: settled, until: 0 },
  );
});

describe('rotation of a webhook secret, by property', () => {
  it('the current secret signs first, at most one other signs second, and they differ', () => {
    fc.assert(
      fc.property(history, hour, ({ stored, until }, later) => {
        const now = at(until + later);
        const signing = signingSecrets(stored, now);
        expect(signing[0]).toBe(settle(stored, now).current);
        expect(signing.length).toBeLessThanOrEqual(2);
        expect(new Set(signing).size).toBe(signing.length);
      }),
    );
  });

  it('a receiver that knows the secrets of an hour ago knows one of those of now', () => {
    fc.assert(
      fc.property(history, hour, ({ stored, until }, later) => {
        const before = signingSecrets(stored, at(until + later));
        const now = signingSecrets(stored, at(until + later + 1));
        expect(before).toEqual(expect.arrayContaining([now[0]]));
      }),
    );
  });

  it('two days after the last step only one secret signs, and settling in between changes nothing', () => {
    fc.assert(
      fc.property(history, hour, hour, ({ stored, until }, one, other) => {
        const [first, second] = [Math.min(one, other), Math.max(one, other)].map((hours) => at(until + hours));
        expect(signingSecrets(settle(stored, first as Date), second as Date)).toEqual(
          signingSecrets(stored, second as Date),
        );
        expect(signingSecrets(stored, at(until + 48))).toHaveLength(1);
      }),
    );
  });
});
