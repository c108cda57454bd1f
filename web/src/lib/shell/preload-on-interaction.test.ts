// @vitest-environment happy-dom
// Tests that what is loaded at the first interaction does not block the page.
import { expect, it } from 'vitest';
import { preloadAll, preloadOnInteraction } from './preload-on-interaction.ts';

const interact = () => window.dispatchEvent(new Event('pointermove'));

it('continues each caller in a task of its own', async () => {
  const order: string[] = [];
  const first = preloadOnInteraction().then(async () => {
    order.push('first begins');
    // All of this runs in one task: a second caller in the same one would come in between.
    for (let n = 0; n < 100; n += 1) await Promise.resolve();
    order.push('first ends');
  });
  const second = preloadOnInteraction().then(() => order.push('second'));
  interact();
  await Promise.all([first, second]);
  expect(order).toEqual(['first begins', 'first ends', 'second']);
});

it('loads one part after another, and goes on after one that fails', async () => {
  const order: string[] = [];
  const { promise, reject } = Promise.withResolvers<void>();
  const all = preloadAll([
    () => {
      order.push('first');
      queueMicrotask(() => reject(new Error('offline')));
      return promise.finally(() => order.push('first failed'));
    },
    () => {
      order.push('second');
      return Promise.resolve();
    },
  ]);
  interact();
  await all;
  expect(order).toEqual(['first', 'first failed', 'second']);
});
