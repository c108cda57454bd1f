// @vitest-environment happy-dom
// A text over its limit stays whole, is counted as the server counts it, and its form is not sent (QU30).
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import fc from 'fast-check';
import { createRawSnippet } from 'svelte';
import { afterEach, describe, expect, it } from 'vitest';
import { projectSettings } from '@countersign/shared/schemas/projects';
import { SETTINGS } from '@countersign/shared/settings';
import ConfirmDialog from '../ConfirmDialog.svelte';
import { excessOf, focusInvalid, lengthFault, lengthLeft } from './length-limit.ts';
import TextArea from './TextArea.svelte';
import TextField from './TextField.svelte';
import TokenField from './TokenField.svelte';

afterEach(cleanup);

const LONGEST_NAME = SETTINGS.name.maxLength;
const characters = fc.constantFrom('a', 'é', '😀', '\ud800', 'e\u0301', '👩‍👧');

describe('the length of a text', () => {
  it('is counted as the schemas of the server count it', () => {
    fc.assert(
      fc.property(fc.array(characters, { minLength: 50, maxLength: 130 }), (parts) => {
        const text = parts.join('');
        expect(excessOf(text, LONGEST_NAME) === 0).toBe(projectSettings.shape.name.safeParse(text).success);
      }),
    );
  });

  it.each([
    ['a'.repeat(500), 500, undefined, '0 characters left'],
    ['a'.repeat(501), 500, '1 character too long. The limit is 500 characters.', undefined],
    ['😀'.repeat(500), 500, undefined, '0 characters left'],
    ['😀'.repeat(502), 500, '2 characters too long. The limit is 500 characters.', undefined],
    ['a'.repeat(21_234), 20_000, '1,234 characters too long. The limit is 20,000 characters.', undefined],
    ['a'.repeat(437), 500, undefined, undefined],
    ['a'.repeat(438), 500, undefined, '62 characters left'],
    ['a'.repeat(499), 500, undefined, '1 character left'],
    ['a'.repeat(18_999), 20_000, undefined, undefined],
    ['a'.repeat(19_000), 20_000, undefined, '1,000 characters left'],
    ['a', undefined, undefined, undefined],
  ])('%# has a fault over the limit, and a counter near it', (text, longest, fault, left) => {
    expect([lengthFault(text, longest), lengthLeft(text, longest)]).toEqual([fault, left]);
  });
});

describe('a field with a limit', () => {
  const props = { label: 'Name', value: 'b'.repeat(12), maxlength: 10 };
  const refused = { ...props, fault: 'Refused.' };
  const fault = '2 characters too long. The limit is 10 characters.';

  it.each([
    ['of one line', () => render(TextField, refused)],
    ['of several lines', () => render(TextArea, refused)],
  ])('%s keeps the whole text, says how much is too long, and blocks its form', (_, show) => {
    const { container } = show();
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
    expect([field.value, field.getAttribute('maxlength')]).toEqual([props.value, null]);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent.trim()).toBe(fault);
    expect([focusInvalid(container), document.activeElement]).toEqual([true, field]);
  });

  it('takes a text whose surplus is white space that is not sent', () => {
    const value = `${'b'.repeat(10)} \n`;
    const { container } = render(TextArea, { ...props, value, trimmed: true });
    expect(focusInvalid(container)).toBe(false);
    cleanup();
    const exact = render(TextArea, { ...props, value });
    expect(focusInvalid(exact.container)).toBe(true);
  });

  it('keeps an entry of a list whole, and adds the ones that fit', async () => {
    render(TokenField, { label: 'Flags', noun: 'flag', tokens: [], maxLength: 5 });
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Flags' });
    await fireEvent.input(field, { target: { value: 'short, much too long' } });
    await fireEvent.blur(field);
    expect(screen.getAllByRole('listitem').map((entry) => entry.textContent.trim())).toEqual(['short', '']);
    expect(field.value).toBe('much too long');
    expect(screen.getByText('8 characters too long. The limit is 5 characters.')).toBeTruthy();
  });

  it('keeps a dialog from being confirmed', async () => {
    let acts = 0;
    render(ConfirmDialog, {
      ...{ open: true, title: 'Stop', confirmLabel: 'Stop it', failed: 'Failed', ondone: () => undefined },
      act: () => Promise.resolve((acts += 1)),
      children: createRawSnippet(() => ({
        render: () => '<input aria-label="Note" />',
        setup: (field) => (field as HTMLInputElement).setCustomValidity('Too long.'),
      })),
    });
    // The dialog is a file of its own.
    await fireEvent.click(await screen.findByRole('button', { name: 'Stop it' }));
    expect([acts, document.activeElement]).toEqual([0, screen.getByRole('textbox', { name: 'Note' })]);
    screen.getByRole<HTMLInputElement>('textbox', { name: 'Note' }).setCustomValidity('');
    await fireEvent.click(screen.getByRole('button', { name: 'Stop it' }));
    expect(acts).toBe(1);
  });
});
