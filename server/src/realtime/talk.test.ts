// How much a client may say: a burst, then one a second, whatever the clock does.
import { expect, it } from 'vitest';
import { createTalk, TALK_AT_ONCE, TALK_MS } from './talk.ts';

it('A9: twenty packets at once and one more with every second are within bounds, the next is not', () => {
  const within = createTalk();
  for (let n = 0; n < TALK_AT_ONCE; n += 1) expect(within(0)).toBe(true);
  for (let second = 1; second < 1000; second += 1) expect(within(second * TALK_MS)).toBe(true);
  expect(within(999 * TALK_MS)).toBe(false);
});

it('A9: a clock that is set back gives nothing away', () => {
  const within = createTalk();
  for (let n = 0; n < TALK_AT_ONCE; n += 1) within(1_000_000);
  expect(within(0)).toBe(false);
  expect(within(1_000_000)).toBe(false);
});

it('A9: a tab that says once a second where it is may go on all day', () => {
  const within = createTalk();
  for (let n = 0; n < 86_400; n += 1) expect(within(n * TALK_MS)).toBe(true);
});
