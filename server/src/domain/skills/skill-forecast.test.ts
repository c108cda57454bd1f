// Tests whom items would be reserved for under other entries and rules (SK5).
import { expect, it } from 'vitest';
import type { Skill } from '@countersign/shared/skills';
import { routesOf } from './reservation.ts';
import { createForecast, type Arrival } from './skill-forecast.ts';

const RULES = {
  auto_threshold: 0.9,
  review_threshold: 0.5,
  below_review: 'reject',
  escalate_flags: ['danger'],
  stopped: false,
} as const;
const LEGAL: Skill = { match: { flag: 'legal' }, people: ['ana'], after_minutes: 30 };
const GOLD: Skill = { match: { metadata: '/team', value: 'gold' }, people: ['ana'], after_minutes: 60 };

const ARRIVED = new Date('2026-03-01T00:00:00Z');
const inMinutes = (minutes: number) => new Date(ARRIVED.getTime() + minutes * 60_000);
const item = (over: Partial<Arrival> = {}): Arrival => ({
  ...{ confidence: 0.7, riskFlags: ['Legal'], metadata: null, needsPerson: false },
  ...{ arrivedAt: ARRIVED, deadline: null, ...over },
});

function forecastOf(skills: readonly Skill[], ...items: Arrival[]) {
  const { forecast, add } = createForecast(routesOf(skills) ?? [], RULES);
  for (const one of items) add(one);
  return forecast;
}

it('SK5: counts an item for the first entry that matches it', () => {
  const both = item({ metadata: { team: 'Gold' } });
  const gold = item({ riskFlags: [], metadata: { team: 'gold' } });
  const items = [both, gold, item({ riskFlags: [] })];
  expect(forecastOf([LEGAL, GOLD], ...items)).toEqual({
    queued: 3,
    entries: [
      { reserved: 1, early: 0 },
      { reserved: 1, early: 0 },
    ],
  });
  expect(forecastOf([GOLD, LEGAL], ...items).entries.map(({ reserved }) => reserved)).toEqual([2, 0]);
  expect(forecastOf([], ...items)).toEqual({ queued: 3, entries: [] });
});

it('SK5: counts only what the rules queue', () => {
  const others = [{ confidence: 0.95 }, { confidence: 0.1 }, { riskFlags: ['legal', 'Danger'] }].map(item);
  const onlyPeople = item({ confidence: 0.95, needsPerson: true });
  expect(forecastOf([LEGAL], ...others, onlyPeople)).toEqual({ queued: 1, entries: [{ reserved: 1, early: 0 }] });
});

it('SK5: says how many others may have before the time of the entry, because of their deadlines', () => {
  const deadlines = [59, 60, null].map((minutes) => item({ deadline: minutes === null ? null : inMinutes(minutes) }));
  expect(forecastOf([LEGAL], ...deadlines).entries).toEqual([{ reserved: 3, early: 1 }]);
});
