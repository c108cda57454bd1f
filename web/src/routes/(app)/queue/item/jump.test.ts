// @vitest-environment happy-dom
// The jump key moves between the areas of the input and of the suggestion.
import { beforeEach, expect, it } from 'vitest';
import { AREAS, jumpBetween } from './jump.ts';
import { newReading } from './reading.svelte.ts';

beforeEach(() => {
  document.body.innerHTML = `<h2 id="heading" tabindex="-1"></h2>
    <div id="${AREAS.input}" tabindex="0"><a id="link" href="/">a</a></div>
    <div id="${AREAS.suggestion}" tabindex="0"></div>`;
});

it.each([
  ['heading', AREAS.input],
  [AREAS.suggestion, AREAS.input],
  [AREAS.input, AREAS.suggestion],
  ['link', AREAS.suggestion],
])('goes from %s to %s', (from, to) => {
  document.getElementById(from)?.focus();
  jumpBetween(newReading());
  expect(document.activeElement?.id).toBe(to);
});

it('unfolds the input when it goes there, and leaves it folded when it goes away', () => {
  const reading = newReading();
  reading.folded = true;
  jumpBetween(reading);
  expect(reading.folded).toBe(false);
  reading.folded = true;
  jumpBetween(reading);
  expect(reading.folded).toBe(true);
});

it('does nothing without an open item', () => {
  document.body.innerHTML = '';
  expect(() => jumpBetween(newReading())).not.toThrow();
});
