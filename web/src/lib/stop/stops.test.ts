// RT7 in the page: which stopped projects the banner names, and its texts.
import type { Project } from '@countersign/shared/schemas/projects';
import { describe, expect, it } from 'vitest';
import { stopMessages } from './stop-messages.ts';
import { projectIn, stopsOn } from './stops.svelte.ts';

const project = (id: string, stopped: boolean) =>
  ({ id, stopped: stopped ? { at: '2026-03-01T12:00:00.000Z', by_name: 'Ana', note: null } : null }) as Project;
const LIST = [project('a', true), project('b', false), project('c', true)];

describe('RT7: the banner', () => {
  it.each([
    ['/queue', null],
    ['/queue?project=a', 'a'],
    ['/projects', null],
    ['/projects/a/rules', 'a'],
    ['/analytics/floor?project=b', 'b'],
    ['/learnings?project=c&q=x', 'c'],
  ])('of %s is about %s', (address, id) => {
    expect(projectIn(new URL(address, 'http://localhost'))).toBe(id);
  });

  it.each<[string | null, string[]]>([
    [null, ['a', 'c']],
    ['a', ['a']],
    ['b', []],
    ['elsewhere', []],
  ])('where the page is about %s: %j', (id, shown) => {
    expect(stopsOn(LIST, id).map((each) => each.id)).toEqual(shown);
  });

  const AT = '2026-03-01T12:00:00.000Z';
  const said = (by_name: string | null, hours: number) =>
    stopMessages.banner.all({ at: AT, by_name, note: null }, Date.parse(AT) + hours * 3_600_000);

  it('says since when and by whom; the day too when it was another one', () => {
    expect(said('Ana', 2)).toEqual([
      expect.stringMatching(/^Since \d\d:\d\d.{0,3}, turned on by $/),
      'Ana',
      '. Every new item goes to human review.',
    ]);
    expect(said(null, 30)[1]).toMatch(/2026/);
    expect([said(null, 30)[0], said(null, 30)[2]]).toEqual(['', '']);
  });

  it.each([
    [
      { arrived: 150, approved: 120, rejected: 3, audited: 0 },
      /120 of 150 items \(80%\) were auto-approved and 3 auto-rejected/,
    ],
    [{ arrived: 150, approved: 120, rejected: 3, audited: 20 }, /were auto-approved \(20 sent to an audit\) and 3/],
    [
      { arrived: 1, approved: 0, rejected: 0, audited: 0 },
      /0 of 1 items \(0%\) were auto-approved and none auto-rejected/,
    ],
  ])('says of %j what passed', (alone, words) => {
    expect(stopMessages.alone(alone)).toMatch(words);
  });

  it.each([
    ['reject', 0.5, 'Normally 0.95 and above is auto-approved, and below 0.50 is auto-rejected.'],
    ['reject', 0, 'Normally 0.95 and above is auto-approved.'],
    ['queue', 0.5, 'Normally 0.95 and above is auto-approved.'],
    ['queue', null, ''],
  ] as const)('says what is normal: %s below %s', (below_review, review_threshold, words) => {
    const auto_threshold = review_threshold === null ? null : 0.95;
    expect(stopMessages.normal({ auto_threshold, review_threshold, below_review })).toBe(words);
  });

  it('says how many more would arrive', () => {
    const alone = { arrived: 200, approved: 140, rejected: 3, audited: 20 };
    expect(stopMessages.more(alone, 7)).toBe("That's about 123 extra reviews per hour, on top of 7 waiting.");
    expect(stopMessages.more({ ...alone, approved: 20, rejected: 0 }, 7)).toBe(
      'That adds no extra reviews to the 7 waiting.',
    );
  });
});
