// @vitest-environment happy-dom
// Only a changed figure is highlighted, and none under reduced motion.
import { afterEach, expect, it, vi } from 'vitest';
import { tint } from './tint.ts';

afterEach(() => vi.unstubAllGlobals());

function shown(reduced: boolean) {
  vi.stubGlobal('matchMedia', () => ({ matches: reduced }));
  const element = document.createElement('span');
  const animate = vi.fn();
  element.animate = animate;
  return { element, animate };
}

it('marks a figure that has changed, once for each change', () => {
  const { element, animate } = shown(false);
  for (const value of [3, 3, 4, 4, 3]) tint(value)(element);
  expect(animate).toHaveBeenCalledTimes(2);
});

it('marks nothing under reduced motion', () => {
  const { element, animate } = shown(true);
  for (const value of [3, 4]) tint(value)(element);
  expect(animate).not.toHaveBeenCalled();
});
