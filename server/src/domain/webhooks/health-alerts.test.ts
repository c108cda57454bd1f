// WH6 as a table, and by property for any history: at most one exhaustion an hour, and no recovery without trouble.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NextStep } from './retry.ts';
import { QUIET_SECONDS, nextAlert, type AlertState } from './health.ts';

const NOTHING: AlertState = { paused: false, inTrouble: false, secondsAgo: null };
const at = (state: Partial<AlertState>): AlertState => ({ ...NOTHING, ...state });
const after = (state: Partial<AlertState>, step: NextStep['kind']) => nextAlert(at(state), step).alert;

describe('WH6: owners get an alert', () => {
  it.each([
    ['for the first exhausted delivery', {}, 'dead', 'exhausted'],
    ['but none for a second one within the hour', { inTrouble: true, secondsAgo: QUIET_SECONDS - 1 }, 'dead', null],
    ['for the next one after the hour', { inTrouble: true, secondsAgo: QUIET_SECONDS }, 'dead', 'exhausted'],
    ['but none for a second exhaustion within the hour, even after a recovery', { secondsAgo: 60 }, 'dead', null],
    ['for the next one after a recovery and an hour', { secondsAgo: QUIET_SECONDS }, 'dead', 'exhausted'],
    ['but none when the clock of another worker is behind', { inTrouble: true, secondsAgo: -5 }, 'dead', null],
    ['for a pause', {}, 'pause', 'paused'],
    ['for a pause, even right after another alert', { inTrouble: true, secondsAgo: 1 }, 'pause', 'paused'],
    ['for a dead delivery after a pause', { inTrouble: true }, 'dead', 'exhausted'],
    ['but none for a dead delivery while it is paused', { paused: true, inTrouble: true }, 'dead', null],
    [
      'but none for a second pause when another attempt is answered 410',
      { paused: true, inTrouble: true },
      'pause',
      null,
    ],
    ['for a recovery', { inTrouble: true, secondsAgo: 5 }, 'succeeded', 'recovered'],
    ['for a recovery, however long it took', { inTrouble: true, secondsAgo: 1e7 }, 'succeeded', 'recovered'],
    ['but none for a success without trouble', {}, 'succeeded', null],
    ['but none for a recovery without trouble', { secondsAgo: 5 }, 'succeeded', null],
    ['but none for a successful delivery while it is paused', { paused: true, inTrouble: true }, 'succeeded', null],
    ['but none for a retry', {}, 'retry', null],
    ['but none for a retry in trouble', { inTrouble: true, secondsAgo: 9999 }, 'retry', null],
  ] as const)('%s', (_, state, step, alert) => {
    expect(after(state, step)).toBe(alert);
  });

  it('records each alert in the state', () => {
    expect(nextAlert(NOTHING, 'dead').state).toEqual(at({ inTrouble: true, secondsAgo: 0 }));
    expect(nextAlert(NOTHING, 'pause').state).toEqual(at({ paused: true, inTrouble: true }));
    const over = nextAlert(at({ inTrouble: true, secondsAgo: 7 }), 'succeeded').state;
    expect(over).toEqual(at({ inTrouble: false, secondsAgo: 7 }));
    expect(nextAlert(over, 'retry').state).toEqual(over);
  });
});

/** Attempts with these outcomes, each so many seconds after the previous one; `resume`: an owner saves the URL again. */
const history = fc.array(
  fc.record({
    step: fc.constantFrom('succeeded', 'retry', 'dead', 'pause', 'resume' as const),
    passed: fc.nat({ max: 3000 }),
  }),
  { maxLength: 60 },
);

describe('WH6: for any history', () => {
  it('exhaustion is alerted at most once an hour, a pause once per pause, a recovery once per trouble', () => {
    fc.assert(
      fc.property(history, (steps) => {
        let state = NOTHING;
        let now = 0;
        let last = -Infinity;
        let open = false;
        for (const { step, passed } of steps) {
          now += passed;
          if (state.secondsAgo !== null) state = { ...state, secondsAgo: state.secondsAgo + passed };
          if (step === 'resume') {
            state = { ...state, paused: false };
            continue;
          }
          const before = state;
          const { alert, state: next } = nextAlert(state, step);
          state = next;
          if (alert === 'exhausted') {
            expect(now - last).toBeGreaterThanOrEqual(QUIET_SECONDS);
            last = now;
          }
          if (alert === 'paused') expect(before.paused).toBe(false);
          if (alert === 'recovered') expect(open).toBe(true);
          if (alert !== null) open = alert !== 'recovered';
        }
      }),
    );
  });
});
