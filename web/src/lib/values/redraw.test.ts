// @vitest-environment happy-dom
// A value that is drawn keeps its elements when its item is read again: what was sorted or scrolled in it stays.
import { cleanup, render } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { classify } from './classify.ts';
import { lazy } from './lazy.ts';
import { loadRenderer } from './renderers.ts';
import ValueBlock from './ValueBlock.svelte';

afterEach(cleanup);

const rows = () => Array.from({ length: 3 }, (_, at) => ({ a: `row ${at}`, b: 1 }));

it('a renderer that has loaded is given as it is, without a promise that would draw the value again', async () => {
  const load = loadRenderer(classify(rows())) ?? expect.fail('no renderer');
  const module = await load();
  expect(load()).toBe(module);
  expect(lazy.table.now()).toBe(module);
});

it('a table keeps its rows when it is read again', async () => {
  await lazy.table();
  const { container, rerender } = render(ValueBlock, { title: 'X', value: rows(), large: true, kinds: {} });
  await vi.waitFor(() => expect(container.querySelector('tbody tr')).not.toBeNull());
  const first = container.querySelector('tbody tr');
  await rerender({ value: rows(), kinds: {} });
  await tick();
  expect(container.querySelector('tbody tr')).toBe(first);
});
