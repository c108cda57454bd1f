// @vitest-environment happy-dom
// Sending all dead again, as a person meets it: asked first, told what came of it, and stopped by them.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import ReplayDead from './ReplayDead.svelte';

let answers: ((response: Response) => void)[];
let said: string[];
beforeEach(() => {
  [answers, said] = [[], []];
  vi.stubGlobal('fetch', () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    answers.push(resolve);
    return promise;
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const open = (enabled: boolean) =>
  render(ReplayDead, { projectId: 'p', enabled, ondone: (words: string) => said.push(words) });
const press = async (name: string) =>
  fireEvent.click((await screen.findAllByRole('button', { name })).at(-1) as Element);
const answer = (replayed: number, next_cursor: string | null) =>
  answers.at(-1)?.(Response.json({ replayed, next_cursor }));

it('asks nothing where none can be sent', async () => {
  open(false);
  await press('Send all dead again');
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('says how many went out while it does, and goes when all did', async () => {
  open(true);
  await press('Send all dead again');
  await screen.findByRole('dialog');
  await press('Send all dead again');
  answer(1000, 'on');
  await screen.findByText('1,000 sent again');
  expect(document.activeElement?.textContent?.trim()).toBe('Stop');
  answer(1, null);
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(said.at(-1)).toBe('1,001 are on their way.');
});

it('stops when it is told to', async () => {
  open(true);
  await press('Send all dead again');
  await screen.findByRole('dialog');
  await press('Send all dead again');
  await press('Stop');
  answer(1000, 'on');
  await vi.waitFor(() => expect(said.at(-1)).toBe('1,000 are on their way; the others stay as they were.'));
  expect(answers).toHaveLength(1);
});
