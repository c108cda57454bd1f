// @vitest-environment happy-dom
// The question by how much a deadline is extended: the moment that it names, and the one that it announces (DL5).
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Deadline, ItemDetail } from '@countersign/shared/schemas/parts/item';
import { exactMoment } from '#lib/format/format.ts';
import { deadlineMessages } from './deadline-messages.ts';
import ExtendDeadline from './ExtendDeadline.svelte';

const messages = deadlineMessages.extend;
const env: { said: string[]; shown: (detail: ItemDetail) => unknown } = vi.hoisted(() => ({
  said: [],
  shown: () => undefined,
}));
vi.mock('../../queue-context.ts', () => ({
  getQueueContext: () => ({
    announcer: { say: (message: string) => env.said.push(message) },
    reviewSession: { item: { replace: (detail: ItemDetail) => env.shown(detail) } },
  }),
}));
vi.mock('#lib/api/client.ts', async (original) => ({ ...(await original<object>()), call: () => answer() }));

const until = (at: string): Deadline => ({ at, on_deadline: 'expire', span_seconds: 100, extended: false });
const item = (deadline: Deadline) => ({ id: 'one', deadline }) as unknown as ItemDetail;
const NOW = until('2026-01-01T10:00:00.000Z');
const EXTENDED = item({ ...until('2026-01-01T11:00:00.000Z'), extended: true });
let answer: () => Promise<ItemDetail>;

beforeEach(() => void (env.said.length = 0));
afterEach(cleanup);

it('DL5: announces the moment that the question named, although the page shows the new deadline by then', async () => {
  const { rerender } = render(ExtendDeadline, { open: true, detail: item(NOW), deadline: NOW });
  env.shown = (detail) => rerender({ detail, deadline: detail.deadline as Deadline });
  answer = () => Promise.resolve(EXTENDED);
  const moment = exactMoment('2026-01-01T11:00:00.000Z');
  await screen.findByText(messages.until(moment));
  await fireEvent.click(screen.getByRole('button', { name: messages.confirm }));
  await vi.waitFor(() => expect(env.said).toEqual([messages.done(moment)]));
});
