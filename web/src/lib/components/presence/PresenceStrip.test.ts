// @vitest-environment happy-dom
// Tests the people in the top bar: five avatars and a number, all names for screen readers, hidden when empty.
import { render } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import PresenceStrip from './PresenceStrip.svelte';

const people = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    user_id: String(n),
    name: `Person ${n + 1}`,
    idle: n === count - 1,
    viewing: [],
  }));
const strip = (count: number) => render(PresenceStrip, { people: people(count) }).container;

it('shows up to five and how many more, and announces their names', () => {
  const shown = strip(7);
  expect(shown.textContent).toContain('+2');
  expect(shown.querySelector('.sr-only')?.textContent).toBe(
    '7 online besides you: Person 1, Person 2, Person 3, Person 4, Person 5, Person 6, and Person 7 (away)',
  );
  expect(strip(5).textContent).not.toContain('+');
});

it('names twelve of a thousand', () => {
  expect(strip(1000).querySelector('.sr-only')?.textContent).toMatch(/Person 12, and 988 others$/);
});

it('is hidden when nobody else is online', () => {
  expect(strip(0).textContent).toBe('');
});
