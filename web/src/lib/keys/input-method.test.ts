// @vitest-environment happy-dom
// QU10: keys of an input method act in no field and close no dialog; the same keys afterwards do.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import Dialog from '#lib/components/Dialog.svelte';
import TokenField from '#lib/components/forms/TokenField.svelte';
import FindField from '#lib/values/text/FindField.svelte';

afterEach(cleanup);

/** How browsers mark a key of an input method; Safari marks the Enter that ends the composition by its code alone. */
const MARKS: [string, KeyboardEventInit][] = [
  ['a key of a composition', { isComposing: true }],
  ['a key with the code of input methods', { keyCode: 229 }],
];

describe.each(MARKS)('QU10: %s', (_, mark) => {
  it('adds no word to a list and removes none', async () => {
    render(TokenField, { label: 'Flags', noun: 'flag', tokens: ['kept'] });
    const field = screen.getByRole('textbox');
    await fireEvent.keyDown(field, { key: 'Backspace', ...mark });
    await fireEvent.input(field, { target: { value: 'にほ' } });
    await fireEvent.keyDown(field, { key: 'Enter', ...mark });
    expect(screen.getAllByRole('button').map((each) => each.getAttribute('aria-label'))).toEqual(['Remove flag kept']);
    await fireEvent.keyDown(field, { key: 'Enter' });
    expect(screen.getAllByRole('button')).toHaveLength(2);
  });

  it('closes no dialog', async () => {
    const onclose = vi.fn();
    const children = createRawSnippet(() => ({ render: () => '<input aria-label="Name">' }));
    render(Dialog, { open: true, title: 'Question', busy: false, onclose, children });
    const field = await screen.findByRole('textbox', { name: 'Name' });
    await fireEvent.keyDown(field, { key: 'Escape', ...mark });
    expect(onclose).not.toHaveBeenCalled();
    await fireEvent.keyDown(field, { key: 'Escape' });
    expect(onclose).toHaveBeenCalledOnce();
  });

  it('neither moves nor closes a search', async () => {
    const [onshow, onclose] = [vi.fn(), vi.fn()];
    render(FindField, { label: 'Find', total: 3, more: false, at: 0, onlook: () => undefined, onshow, onclose });
    const field = screen.getByRole('textbox');
    for (const key of ['Enter', 'Escape']) await fireEvent.keyDown(field, { key, ...mark });
    expect([onshow, onclose].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    for (const key of ['Enter', 'Escape']) await fireEvent.keyDown(field, { key });
    expect([onshow, onclose].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });
});
