// WH6 as a table, and what holds of any history: at most one exhaustion an hour, no end that had no beginning.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NextStep } from './retry.ts';
import { QUIET_SECONDS, nextAlert, type AlertState } from './webhook-alert.ts';

const NOTHING: AlertState = { paused: false, inTrouble: false, secondsAgo: null };
const at = (state: Partial<AlertState>): AlertState => ({ ...NOTHING, ...state });
const after = (state: Partial<AlertState>, step: NextStep['kind']) => nextAlert(at(state), step).alert;

describe('WH6: owners are told', () => {
  it.each([
    ['the first exhausted delivery', {}, 'dead', 'exhausted'],
    ['none within the hour', { inTrouble: true, secondsAgo: QUIET_SECONDS - 1 }, 'dead', null],
    ['the next when the hour is over', { inTrouble: true, secondsAgo: QUIET_SECONDS }, 'dead', 'exhausted'],
    ['none within the hour though it was well in between', { secondsAgo: 60 }, 'dead', null],
    ['one after that', { secondsAgo: QUIET_SECONDS }, 'dead', 'exhausted'],
    ['none when another worker’s clock is behind', { inTrouble: true, secondsAgo: -5 }, 'dead', null],
    ['that it is paused', {}, 'pause', 'paused'],
    [
      'that it is paused, though something else was told just now',
      { inTrouble: true, secondsAgo: 1 },
      'pause',
      'paused',
    ],
    ['what is given up after a pause that was told', { inTrouble: true }, 'dead', 'exhausted'],
    ['nothing of what is given up while it is paused', { paused: true, inTrouble: true }, 'dead', null],
    ['nothing by the second one that is answered 410', { paused: true, inTrouble: true }, 'pause', null],
    ['that it works again', { inTrouble: true, secondsAgo: 5 }, 'succeeded', 'recovered'],
    ['that, however long it took', { inTrouble: true, secondsAgo: 1e7 }, 'succeeded', 'recovered'],
    ['nothing of what arrives when all is well', {}, 'succeeded', null],
    ['nothing of it after they were told that all is well', { secondsAgo: 5 }, 'succeeded', null],
    ['nothing of what arrives while it is paused', { paused: true, inTrouble: true }, 'succeeded', null],
    ['nothing of what is tried again', {}, 'retry', null],
    ['nothing of what is tried again in trouble', { inTrouble: true, secondsAgo: 9999 }, 'retry', null],
  ] as const)('%s', (_, state, step, alert) => {
    expect(after(state, step)).toBe(alert);
  });

  it('and what they were told is known from then on', () => {
    expect(nextAlert(NOTHING, 'dead').state).toEqual(at({ inTrouble: true, secondsAgo: 0 }));
    expect(nextAlert(NOTHING, 'pause').state).toEqual(at({ paused: true, inTrouble: true }));
    const over = nextAlert(at({ inTrouble: true, secondsAgo: 7 }), 'succeeded').state;
    expect(over).toEqual(at({ inTrouble: false, secondsAgo: 7 }));
    expect(nextAlert(over, 'retry').state).toEqual(over);
  });
});

/** Attempts that end so, each so many seconds after the one before; `resume` is an owner who saves the URL again. */
const history = fc.array(
  fc.record({
    step: fc.constantFrom('succeeded', 'retry', 'dead', 'pause', 'resume' as const),
    passed: fc.nat({ max: 3000 }),
  }),
  { maxLength: 60 },
);

describe('WH6, whatever happens', () => {
  it('exhaustion is told at most once an hour, a pause once per pause, an end once per beginning', () => {
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
