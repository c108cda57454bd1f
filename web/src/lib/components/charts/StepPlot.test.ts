// @vitest-environment happy-dom
// The labels of a plot are inside it, for figures of any size.
import { cleanup, render } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import { widthOf } from './label-room.ts';
import StepPlot from './StepPlot.svelte';

afterEach(cleanup);

it.each([9, 999, 1743, 12_000, 2_640_000])('AN30: shows the axis of %d completely', (most) => {
  const steps = [{ start: 0, end: 1, lead: most, main: 1, partial: false }];
  const { container } = render(StepPlot, {
    steps,
    names: { lead: 'came to people', main: 'decided' },
    ticks: [],
    label: 'x',
    read: () => '',
  });
  const labels = [...container.querySelectorAll('text[text-anchor=end]')];
  expect(labels.length).toBeGreaterThan(1);
  for (const label of labels)
    expect(Number(label.getAttribute('x')) - widthOf(label.textContent.trim())).toBeGreaterThanOrEqual(0);
});
