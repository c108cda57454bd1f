// Tests that people of the demo's history choose reasons from the lists of their projects, and type some of their own.
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../shared/src/settings.ts';
import { seededRandom } from '../pipeline.ts';
import { HISTORY_PROJECTS } from '../projects.ts';
import { makeItem, verdictOf } from './items.ts';
import { PEOPLE, type DemoArea } from './people.ts';
import { LISTED_REASONS, TOPICS } from './texts.ts';

const AREAS = Object.keys(HISTORY_PROJECTS) as DemoArea[];
const listOf = (area: DemoArea) => HISTORY_PROJECTS[area].settings?.reasons ?? DEFAULT_SETTINGS.reasons;

describe('the reasons of the demo’s history', () => {
  it.each(AREAS)('lists a reason for every fault of %s', (area) => {
    const reasons = TOPICS[area].map(({ fault }) => LISTED_REASONS[fault]);
    expect(listOf(area)).toEqual(expect.arrayContaining(reasons));
  });

  it.each(AREAS)('has listed and typed reasons in %s', (area) => {
    const random = seededRandom(1);
    const person = PEOPLE[0];
    if (person === undefined) throw new Error('Nobody reviews.');
    const reasons = Array.from({ length: 400 }, () => makeItem(area, 1, random)).flatMap(({ submission, truth }) => {
      const { reason } = verdictOf(truth, submission.suggestion.raw, { person, random });
      return reason === null ? [] : [reason];
    });
    const listed = reasons.filter((reason) => listOf(area).includes(reason)).length;
    expect(listed).toBeGreaterThan(0);
    expect(listed).toBeLessThan(reasons.length);
  });
});
