// @vitest-environment happy-dom
// The open item: input and suggestion are areas of their own, and nothing undecided is hidden (QU13, QU21).
import { when } from '#lib/format/when.ts';
import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { createRawSnippet, flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { AREAS } from './jump.ts';
import ItemContent from './ItemContent.svelte';
import { newReading, type Reading } from './reading.svelte.ts';

const context = vi.hoisted((): { reading: unknown; draft: unknown } => ({ reading: null, draft: null }));
vi.mock('../queue-context.ts', () => ({
  getQueueContext: () => ({
    reviewSession: { edit: null, draftsRevision: 0 },
    drafts: {
      read: () => context.draft,
      notes: () => ({ note: '', own: '' }),
      others: () => [],
      otherNotes: () => [],
    },
    reading: context.reading,
  }),
  projectOf: () => null,
}));

const detail = (input: unknown, suggestion: unknown) =>
  ({ id: 'one', input, suggestion, preview: 'The preview' }) as unknown as ItemDetail;

function show(item: ItemDetail) {
  const details = createRawSnippet(() => ({ render: () => '<p>Details</p>' }));
  return render(ItemContent, { detail: item, stage: 'mine', width: 700, details });
}

beforeEach(() => {
  context.reading = newReading();
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('QU21: gives input and suggestion an area each, which the keyboard reaches', () => {
  show(detail('The question', 'The answer'));
  const [input, suggestion] = ['Input', 'Suggestion'].map((name) => screen.getByRole('group', { name }));
  expect([input?.id, suggestion?.id]).toEqual([AREAS.input, AREAS.suggestion]);
  expect([input?.tabIndex, suggestion?.tabIndex]).toEqual([0, 0]);
  expect(suggestion?.textContent).toContain('The answer');
});

it('QU13: folds the input to its preview on request, and opens another item unfolded', async () => {
  const first = show(detail('The question', 'The answer'));
  await fireEvent.click(screen.getByRole('button', { name: 'Hide input' }));
  expect(screen.getByText('The preview').closest('.hidden')).toBeNull();
  expect(screen.getByText('The question').closest('.hidden')).not.toBeNull();
  first.unmount();
  show(detail('Another question', 'Another answer'));
  expect(screen.getByText('Another question').closest('.hidden')).toBeNull();
});

it('QU13: says how much of a long input is not shown, and shows all of a long suggestion', () => {
  const long = 'word '.repeat(3000);
  show(detail(long, long));
  const buttons = screen.getAllByRole('button', { name: /more characters$/ });
  expect(buttons.map((button) => button.textContent.trim())).toEqual(['Show 3,000 more characters']);
  expect(buttons[0]?.closest('[role=group]')?.id).toBe(AREAS.input);
});

it('QU21: lists the quotations that stand in the input, and shows all of the input for one of them', async () => {
  show(detail(`${'word '.repeat(3000)} the very last words`, 'It ends with "the very last words" and "not in there".'));
  vi.runAllTimers();
  flushSync();
  const list = screen.getByRole('list', { name: 'Quote found in the input:' });
  expect([...list.querySelectorAll('button')].map((button) => button.textContent.trim())).toEqual([
    'the very last words',
  ]);
  await fireEvent.click(screen.getByRole('button', { name: 'the very last words' }));
  expect(screen.queryByRole('button', { name: /more characters$/ })).toBeNull();
});

it('QU21: finds words in input and suggestion together, in all of a long input, and closes by Escape', async () => {
  vi.useRealTimers();
  show(detail(`${'word '.repeat(3000)} the needle`, 'A needle.'));
  const reading = context.reading as Reading;
  reading.folded = reading.finding = true;
  const field = await screen.findByRole('textbox', { name: 'Find text' });
  expect(reading.folded).toBe(false);
  await fireEvent.input(field, { target: { value: 'needle' } });
  await vi.waitFor(() => expect(within(screen.getByRole('search')).getByRole('status').textContent).toBe('1 of 2'));
  await fireEvent.keyDown(field, { key: 'Escape' });
  expect(reading.finding).toBe(false);
});

it('says of which day a draft is, unless it is of today', () => {
  const savedAt = new Date(Date.now() - 3 * 86_400_000);
  context.draft = { text: 'Mine', savedAt: savedAt.toISOString() };
  onTestFinished(() => void (context.draft = null));
  const { container } = show(detail('The question', 'The answer'));
  const day = when(savedAt.toISOString(), Date.now());
  expect(container.textContent).toContain(`You have a draft from ${day}`);
});
