// How many reasons fit in one line.
import { describe, expect, it } from 'vitest';
import { fittingIn } from './one-line.svelte.ts';

/** Children of 100 pixels with gaps of 4, wrapped at this width as a browser does. */
function row(count: number, width: number) {
  const perLine = Math.max(1, Math.floor((width + 4) / 104));
  return Array.from({ length: count }, (_, at) => ({
    left: (at % perLine) * 104,
    top: Math.floor(at / perLine) * 40,
    width: 100,
  }));
}

describe('fittingIn', () => {
  it.each([
    ['none', 0, 500, { fitting: 0, end: 0 }],
    ['all where they fit exactly', 4, 412, { fitting: 4, end: 412 }],
    ['fewer, with room for the button', 5, 412, { fitting: 3, end: 308 }],
    ['as many as before where the button has room anyway', 20, 500, { fitting: 4, end: 412 }],
    ['none where the button alone has room', 3, 120, { fitting: 0, end: 0 }],
  ])('fits reasons into one line: shows %s', (_, count, width, expected) =>
    expect(fittingIn(row(count, width), width)).toEqual(expected),
  );
});
