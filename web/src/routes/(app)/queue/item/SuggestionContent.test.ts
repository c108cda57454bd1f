// @vitest-environment happy-dom
// A suggestion in the queue and in a preview: its faults above it, its value or tool call, or that there is none.
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import SuggestionContent from './SuggestionContent.svelte';

const CALL = { name: 'refund', arguments: { amount: 12 } };

const show = (over: Partial<ItemDetail>, raw = false) => {
  const detail = {
    ...{ id: 'i', input: null, suggestion: 'A parcel', has_suggestion: true, kind: 'answer', emptied_at: null },
    ...{ schema_faults: [], answer_schema: null, ...over },
  } as unknown as ItemDetail;
  return render(SuggestionContent, { detail, kinds: {}, raw }).container;
};

afterEach(cleanup);

it('TS5: says that there is no suggestion', () => {
  show({ has_suggestion: false, suggestion: null });
  expect(screen.getByText(/^No suggestion/)).toBeTruthy();
});

it('shows the value', () => {
  expect(show({}).textContent).toContain('A parcel');
});

it('shows a tool call as one, and as JSON on request', async () => {
  show({ kind: 'tool_call', suggestion: CALL });
  expect(await screen.findByText('refund')).toBeTruthy();
  cleanup();
  const container = show({ kind: 'tool_call', suggestion: CALL }, true);
  await vi.waitFor(() => expect(container.textContent).toContain('"arguments"'));
});

it.each([
  ['answer', { years: { 2024: ['x'] } }, '/years/2024/0'],
  ['tool_call', { name: 'refund', arguments: { years: { 2024: ['x'] } } }, '/arguments/years/2024/0'],
] as const)('TS2: names the place of a fault as it is in the %s', async (kind, suggestion, pointer) => {
  const fault = { pointer, schema_pointer: '', keyword: 'type', message: 'must be a number' };
  show({
    ...{ kind, suggestion: suggestion as unknown as ItemDetail['suggestion'], suggestion_faults: [fault] },
    ...{ status: 'queued', title: null, invalid: true, allowed_actions: ['approve', 'edit'] },
  });
  expect(await screen.findByText('years › 2024 › 1 must be a number.')).toBeTruthy();
});
