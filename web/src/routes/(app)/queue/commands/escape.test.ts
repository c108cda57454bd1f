// Escape during a bulk decision stops it and closes nothing else.
import { expect, it, vi } from 'vitest';
import { commandsOf } from './commands.ts';
import { Selection } from '../bulk/selection.svelte.ts';
import type { QueueContext } from '../queue-context.ts';

it('Escape stops a running bulk decision, and closes the selection once it has ended', () => {
  const selection = new Selection();
  selection.toggle('a');
  const batch = { running: true, stop: vi.fn() };
  selection.batch = batch;
  const reviewSession = { reasonPrompt: { open: false, picked: null }, edit: null, item: { id: 'b' }, close: vi.fn() };
  const context = { selection, reviewSession } as unknown as QueueContext;
  const commands = commandsOf(
    context,
    { stage: null, cursor: null, inList: true, switchTo: () => undefined },
    () => null,
  );
  expect(commands.run('leave', null)).toBe(true);
  expect([batch.stop.mock.calls.length, selection.on, [...selection.ids]]).toEqual([1, true, ['a']]);
  batch.running = false;
  commands.run('leave', null);
  expect([batch.stop.mock.calls.length, selection.on, [...selection.ids]]).toEqual([1, false, []]);
  expect(reviewSession.close).not.toHaveBeenCalled();
  commands.run('leave', null);
  expect(reviewSession.close).toHaveBeenCalledOnce();
});
