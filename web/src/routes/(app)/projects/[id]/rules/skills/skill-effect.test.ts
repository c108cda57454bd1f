// Tests what a forecast of the entries means: whom items wait for, who is active, and when others may have them (SK5).
import { expect, it } from 'vitest';
import { skillEffect } from './skill-effect.ts';

const ana = { user_id: 'ana', name: 'Ana' };
const bo = { user_id: 'bo', name: 'Bo' };
const left = { user_id: 'cem', name: null };
const LEGAL = { match: { flag: 'legal' }, people: [ana, bo], after_minutes: 30 };
const PII = { match: { flag: 'pii' }, people: [bo, left], after_minutes: 60 };
const OLD = { match: { flag: 'old' }, people: [left], after_minutes: 5 };

const FORECAST = {
  ...{ items: 100, queued: 50 },
  entries: [
    { reserved: 20, early: 3 },
    { reserved: 10, early: 0 },
    { reserved: 4, early: 4 },
  ],
};
const effect = (active: string[]) => skillEffect([LEGAL, PII, OLD], FORECAST, (user) => active.includes(user));

it('SK5: counts active people among the members, and reserves nothing for those who left', () => {
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
