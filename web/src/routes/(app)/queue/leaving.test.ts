// Escape while several items are being decided: that is stopped, nothing else is left.
import { expect, it, vi } from 'vitest';
import { commandsOf } from './commands.ts';
import { Selection } from './selection.svelte.ts';
import type { Work } from './work.ts';

it('Escape stops what is being decided together, and leaves the choice when that is over', () => {
  const selection = new Selection();
  selection.toggle('a');
  const batch = { running: true, stop: vi.fn() };
  selection.batch = batch;
  const desk = { asking: { open: false, picked: null }, edit: null, item: { id: 'b' }, close: vi.fn() };
  const work = { selection, desk } as unknown as Work;
  const commands = commandsOf(work, { stage: null, cursor: null, inList: true, turnTo: () => undefined });
  expect(commands.run('leave', null)).toBe(true);
  expect([batch.stop.mock.calls.length, selection.on, [...selection.ids]]).toEqual([1, true, ['a']]);
  batch.running = false;
  commands.run('leave', null);
  expect([batch.stop.mock.calls.length, selection.on, [...selection.ids]]).toEqual([1, false, []]);
  expect(desk.close).not.toHaveBeenCalled();
  commands.run('leave', null);
  expect(desk.close).toHaveBeenCalledOnce();
});
