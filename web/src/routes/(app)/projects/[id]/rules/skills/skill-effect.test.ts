// Tests what a forecast of the entries means: whom items wait for, who is active, and when others may have them (SK5).
import { expect, it } from 'vitest';
import { skillEffect } from './skill-effect.ts';

const LEGAL = { match: { flag: 'legal' }, people: [], after_minutes: 30 };
const PII = { match: { flag: 'pii' }, people: [], after_minutes: 60 };
const OLD = { match: { flag: 'old' }, people: [], after_minutes: 5 };

const FORECAST = {
  ...{ items: 100, queued: 50 },
  entries: [
    { reserved: 20, early: 3, people: ['ana', 'bo'] },
    { reserved: 10, early: 0, people: ['bo'] },
    { reserved: 4, early: 4, people: [] },
  ],
};
const effect = (active: string[] | null) =>
  skillEffect([LEGAL, PII, OLD], FORECAST, active && ((user) => active.includes(user)));

it('SK2, SK5: counts active people among those who count, and reserves nothing where there are none', () => {
  const { rows, everybody, early } = effect(['bo', 'cem']);
  expect(rows.map(({ reserved, active, people }) => [reserved, active, people])).toEqual([
    [20, 1, 2],
    [10, 1, 1],
    [0, 0, 0],
  ]);
  expect([everybody, early]).toEqual([20, 3]);
});

it('SK5: counts the items that nobody who is active gets first, and when others may have them', () => {
  expect(effect(['ana', 'bo']).unattended).toBeNull();
  expect(effect(['ana']).unattended).toEqual({ items: 10, least: 60, most: 60 });
  expect(effect([]).unattended).toEqual({ items: 30, least: 30, most: 60 });
});

it('SK5: counts nobody as inactive while it is unknown who is active', () => {
  const { rows, unattended, everybody } = effect(null);
  expect(rows.map(({ active, people }) => [active, people])).toEqual([
    [null, 2],
    [null, 1],
    [null, 0],
  ]);
  expect([unattended, everybody]).toEqual([null, 20]);
});
