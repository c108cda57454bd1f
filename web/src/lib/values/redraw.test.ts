// A renderer that has loaded is awaited no more, so that what was sorted or scrolled in a value stays.
import { expect, it } from 'vitest';
import { classify } from './classify.ts';
import { lazy } from './lazy.ts';
import { loadRenderer } from './renderers.ts';

const rows = () => Array.from({ length: 3 }, (_, at) => ({ a: `row ${at}`, b: 1 }));

it('a renderer that has loaded is given as it is, without a promise that would draw the value again', async () => {
  const load = loadRenderer(classify(rows())) ?? expect.fail('no renderer');
  const module = await load();
  expect(load()).toBe(module);
  expect(lazy.table.now()).toBe(module);
});
