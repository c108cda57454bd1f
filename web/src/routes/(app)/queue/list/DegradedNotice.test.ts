// @vitest-environment happy-dom
// LC6 in the page: one line while the lock store is down, announced once, and once more when it is back.
import { render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import DegradedNotice from './DegradedNotice.svelte';

const heard = vi.hoisted(() => new Map<string, (said: never) => void>());
const said = vi.hoisted(() => [] as string[]);
vi.mock('socket.io-client', () => ({
  io: () => ({
    on: (event: string, listener: (said: never) => void) => void heard.set(event, listener),
    disconnect: () => undefined,
    active: true,
  }),
}));
vi.mock('../queue-context.ts', () => ({
  getQueueContext: () => ({ announcer: { say: (words: string) => said.push(words) } }),
}));

const server = async (degraded: boolean) => {
  heard.get('assignment')?.({ degraded } as never);
  await tick();
};

it('LC6: appears and disappears automatically, with one announcement each', async () => {
  live.start();
  render(DegradedNotice);
  await server(false);
  expect([screen.queryByText(/Live claims are down/), said]).toEqual([null, []]);
  await server(true);
  await server(true);
  expect(screen.getByText(/two people may open the same item/).parentElement?.textContent).toContain(
    'Only the first decision counts',
  );
  expect(said).toHaveLength(1);
  await server(false);
  expect(screen.queryByText(/Live claims are down/)).toBeNull();
  expect(said).toEqual([said[0], 'Live claims are back']);
  live.stop();
});
