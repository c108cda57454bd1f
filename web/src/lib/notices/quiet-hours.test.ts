// NO7: when it is quiet, by the wall clock of a zone, across midnight and across changes of the clocks.
import { describe, expect, it } from 'vitest';
import { isQuiet } from './quiet-hours.ts';

const NIGHT = { from: '22:00', to: '07:00' };
const LUNCH = { from: '12:00', to: '13:30' };
const BERLIN = 'Europe/Berlin';

const at = (time: string) => Date.parse(time);

describe('NO7: quiet hours', () => {
  it.each([
    [NIGHT, '21:59', false],
    [NIGHT, '22:00', true],
    [NIGHT, '23:59', true],
    [NIGHT, '00:00', true],
    [NIGHT, '06:59', true],
    [NIGHT, '07:00', false],
    [LUNCH, '11:59', false],
    [LUNCH, '12:00', true],
    [LUNCH, '13:29', true],
    [LUNCH, '13:30', false],
    [{ from: '09:00', to: '09:00' }, '09:00', false],
    [{ from: '00:00', to: '23:59' }, '00:00', true],
    [{ from: '23:00', to: '00:00' }, '23:30', true],
    [{ from: '23:00', to: '00:00' }, '00:00', false],
    [null, '23:00', false],
  ] as const)('%j at %s is quiet: %s', (hours, time, quiet) => {
    expect(isQuiet(hours, at(`2026-03-02T${time}:00Z`), 'UTC')).toBe(quiet);
  });

  it.each([
    // Germany skips the hour from 02:00 on 29 March 2026: 01:00 UTC is 03:00.
    ['the last minute before the clocks go forward', { from: '22:00', to: '03:00' }, '2026-03-29T00:59:00Z', true],
    ['the first minute after it', { from: '22:00', to: '03:00' }, '2026-03-29T01:00:00Z', false],
    ['an end in the hour that is skipped', { from: '22:00', to: '02:30' }, '2026-03-29T01:00:00Z', false],
    ['the usual end on that morning', NIGHT, '2026-03-29T04:59:00Z', true],
    ['one hour of UTC earlier than the day before', NIGHT, '2026-03-29T05:00:00Z', false],
    ['as against the day before', NIGHT, '2026-03-28T05:30:00Z', true],
    // It repeats the hour from 02:00 on 25 October 2026, at 00:00 and at 01:00 UTC.
    ['the first of the repeated hours', { from: '02:15', to: '02:45' }, '2026-10-25T00:30:00Z', true],
    ['the second one', { from: '02:15', to: '02:45' }, '2026-10-25T01:30:00Z', true],
    ['between them', { from: '02:15', to: '02:45' }, '2026-10-25T01:00:00Z', false],
    ['the usual end on that morning', NIGHT, '2026-10-25T05:59:00Z', true],
    ['that end', NIGHT, '2026-10-25T06:00:00Z', false],
  ])('keeps to the wall clock: %s', (_, hours, time, quiet) => {
    expect(isQuiet(hours, at(time), BERLIN)).toBe(quiet);
  });

  it('uses the zone of the browser unless another is given', () => {
    const now = at('2026-03-02T12:00:00Z');
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    for (let hour = 0; hour < 24; hour += 1) {
      const later = now + hour * 3_600_000;
      expect(isQuiet(NIGHT, later)).toBe(isQuiet(NIGHT, later, timeZone));
    }
  });
});
