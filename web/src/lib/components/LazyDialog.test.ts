// @vitest-environment happy-dom
// A dialog whose code cannot be loaded: it does not open, and the next press tries again.
import { cleanup, render } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import LazyDialog from './LazyDialog.svelte';

vi.mock('./Dialog.svelte', () => {
  throw new Error('There is no connection.');
});

afterEach(cleanup);

it('closes again when its code cannot be loaded', async () => {
  const onclose = vi.fn();
  const children = createRawSnippet(() => ({ render: () => '<p>Content</p>' }));
  const { rerender } = render(LazyDialog, { open: false, title: 'Question', busy: false, onclose, children });
  expect(onclose).not.toHaveBeenCalled();
  await rerender({ open: true });
  await vi.waitFor(() => expect(onclose).toHaveBeenCalledTimes(1));
});
