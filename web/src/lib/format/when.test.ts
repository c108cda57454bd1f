// A time of another day is shown with its day.
import { describe, expect, it } from 'vitest';
import { isToday, when } from './when.ts';

const NOW = new Date(2026, 10, 29, 0, 30).getTime();
const iso = (...[day, hour]: [number, number]) => new Date(2026, 10, day, hour, 45).toISOString();

describe('a time', () => {
  it('is of today by the calendar, not because it is less than 24 hours ago', () => {
    expect([iso(29, 0), iso(29, 23), iso(28, 23), iso(30, 0)].map((at) => isToday(at, NOW))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('has its day unless it is of today, and its year unless it is of this year', () => {
    expect(when(iso(29, 9), NOW)).not.toContain('29');
    expect(when(iso(28, 9), NOW)).toMatch(/28.*45/);
    expect(when(iso(28, 9), NOW)).not.toContain('2026');
    expect(when(new Date(2025, 10, 29, 9, 45).toISOString(), NOW)).toMatch(/29.*2025.*45/);
  });

  it('has seconds only while it is of today', () => {
    expect(when(iso(29, 9), NOW, { seconds: true })).toMatch(/45.00/);
    expect(when(iso(28, 9), NOW, { seconds: true })).not.toMatch(/45.00/);
  });
});
