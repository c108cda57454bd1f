// Escape while several items are being decided: that is stopped, nothing else is left.
import { expect, it, vi } from 'vitest';
import { commandsOf } from './commands.ts';
import { Selection } from '../bulk/selection.svelte.ts';
import type { QueueContext } from '../queue-context.ts';

it('Escape stops what is being decided together, and leaves the choice when that is over', () => {
  const selection = new Selection();
  selection.toggle('a');
  const batch = { running: true, stop: vi.fn() };
  selection.batch = batch;
  const reviewSession = { reasonPrompt: { open: false, picked: null }, edit: null, item: { id: 'b' }, close: vi.fn() };
  const context = { selection, reviewSession } as unknown as QueueContext;
  const commands = commandsOf(context, { stage: null, cursor: null, inList: true, switchTo: () => undefined });
  expect(commands.run('leave', null)).toBe(true);
  expect([batch.stop.mock.calls.length, selection.on, [...selection.ids]]).toEqual([1, true, ['a']]);
  batch.running = false;
  commands.run('leave', null);
  expect([batch.stop.mock.calls.length, selection.on, [...selection.ids]]).toEqual([1, false, []]);
  expect(reviewSession.close).not.toHaveBeenCalled();
  commands.run('leave', null);
  expect(reviewSession.close).toHaveBeenCalledOnce();
});
