// Tests which entry an item matches, and how long it is reserved for the people of that entry.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMetadataPointer, matcherOf, skillOf, type Matchable, type SkillMatch } from '@countersign/shared/skills';
import { reservationOf, routesOf } from './reservation.ts';

const item = (riskFlags: string[], metadata: Record<string, unknown> | null = null) => ({ riskFlags, metadata });
const matchesSkill = (match: SkillMatch, of: Matchable) => matcherOf(of)(match, skillOf(match));
const NOW = new Date('2026-05-05T12:00:00.000Z');
const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

describe('SK1: an entry', () => {
  it.each<[SkillMatch, ReturnType<typeof item>]>([
    [{ flag: 'legal' }, item(['pii', ' Legal '])],
    [{ flag: 'STRASSE' }, item(['straße'])],
    [{ metadata: '/team', value: 'gold' }, item([], { team: 'Gold' })],
    [{ metadata: '/customer/tier', value: '3' }, item([], { customer: { tier: 3 } })],
    [{ metadata: '/vip', value: 'true' }, item([], { vip: true })],
    [{ metadata: '/tags/1', value: 'b' }, item([], { tags: ['a', 'b'] })],
    [{ metadata: '/a~1b', value: 'x' }, item([], { 'a/b': 'x' })],
  ])('%j matches %j', (match, of) => expect(matchesSkill(match, of)).toBe(true));

  it.each<[SkillMatch, ReturnType<typeof item>]>([
    [{ flag: 'legal' }, item(['illegal'])],
    [{ flag: 'legal' }, item([], { flag: 'legal' })],
    [{ metadata: '/team', value: 'gold' }, item(['gold'])],
    [{ metadata: '/team', value: 'gold' }, item([], { team: ['gold'] })],
    [{ metadata: '/team', value: 'null' }, item([], { team: null })],
    [{ metadata: '/team/length', value: '4' }, item([], { team: 'gold' })],
    [{ metadata: '/constructor/name', value: 'Object' }, item([], {})],
    [{ metadata: '/__proto__/x', value: '1' }, item([], {})],
    [{ metadata: '/team', value: 'gold' }, item([], { team: `gold${' '.repeat(1000)}` })],
  ])('%j does not match %j', (match, of) => expect(matchesSkill(match, of)).toBe(false));

  it.each(['/team', '/customer/tier', '/a~1b', '/tags/0'])('%s is a pointer', (pointer) =>
    expect(isMetadataPointer(pointer)).toBe(true),
  );
  it.each(['team', '', '/', '/a~2', '/a\n', '/\ud800'])('%j is no pointer', (pointer) =>
    expect(isMetadataPointer(pointer)).toBe(false),
  );

  const text = fc.constantFrom('a', 'A', ' a', 'b', '"', '","', 'ß', 'SS', '/a', 'a","b');
  const match = fc.oneof(
    fc.record({ flag: text }),
    fc.record({ value: text, metadata: fc.constantFrom('/a', '/b', '/a","b') }),
  );
  const owns = (one: SkillMatch) =>
    'flag' in one ? item([one.flag]) : item([], { [one.metadata.slice(1)]: one.value });

  it('has the name of another one exactly where both match the same items', () => {
    fc.assert(
      fc.property(match, match, (one, other) => {
        const same = matchesSkill(one, owns(other)) && matchesSkill(other, owns(one));
        expect(skillOf(one) === skillOf(other)).toBe(same);
      }),
    );
  });
});

describe('SK3: a new item', () => {
  const skills = [
    { match: { flag: 'legal' }, people: ['ana'], after_minutes: 30 },
    { match: { metadata: '/team', value: 'gold' }, people: ['ben'], after_minutes: 5 },
  ];
  const routes = routesOf(skills);

  it.each([
    ['the first entry that matches', item(['legal'], { team: 'gold' }), null, ['flag:legal', 30]],
    ['any later entry', item(['pii'], { team: 'gold' }), null, ['metadata:["/team","gold"]', 5]],
    ['an entry, for at most half of the time until its deadline', item(['legal']), at(20), ['flag:legal', 10]],
    ['an entry, for all of its minutes where the deadline is far away', item(['legal']), at(60), ['flag:legal', 30]],
  ] as const)('is reserved for %s', (_, of, deadline, [skill, minutes]) =>
    expect(reservationOf(of, routes, { now: NOW, deadline })).toEqual({ skill, until: at(minutes) }),
  );

  it.each([
    ['no entry matches', item(['pii']), routes, null],
    ['there are no entries', item(['legal']), routesOf([]), null],
    ['its deadline has passed', item(['legal']), routes, at(-1)],
  ])('is for everybody where %s', (_, of, from, deadline) =>
    expect(reservationOf(of, from, { now: NOW, deadline })).toBeNull(),
  );

  it('is for everybody after the minutes of its entry, and before its deadline', () => {
    const minutes = fc.integer({ min: 1, max: 1440 });
    const deadlines = fc.option(fc.integer({ min: 1, max: 40_000_000 }));
    fc.assert(
      fc.property(minutes, deadlines, (after_minutes, seconds) => {
        const deadline = seconds === null ? null : new Date(NOW.getTime() + seconds * 1000);
        const from = routesOf([{ match: { flag: 'legal' }, people: ['ana'], after_minutes }]);
        const until = reservationOf(item(['legal']), from, { now: NOW, deadline })?.until ?? NOW;
        expect(until.getTime()).toBeLessThanOrEqual(at(after_minutes).getTime());
        if (deadline !== null) expect(until.getTime()).toBeLessThan(deadline.getTime());
      }),
    );
  });
});
