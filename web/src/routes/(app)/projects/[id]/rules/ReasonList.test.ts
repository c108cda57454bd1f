// @vitest-environment happy-dom
// The list of reasons: its order is that of the digit keys, and it contains each reason once.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import ReasonList from './ReasonList.svelte';

afterEach(cleanup);

const NINE = Array.from({ length: 9 }, (_, at) => `Reason ${at + 1}`);
const lines = () => screen.getAllByRole('listitem').map((line) => line.textContent.replaceAll(/\s+/g, ' ').trim());
const open = (reasons: string[]) => render(ReasonList, { reasons, readonly: false });
async function add(reason: string) {
  await fireEvent.input(screen.getByLabelText('New reason'), { target: { value: reason } });
  await fireEvent.click(screen.getByRole('button', { name: 'Add' }));
}

it('gives digits to the first nine, and says that a tenth has none', () => {
  open([...NINE, 'Tenth']);
  expect(lines().slice(0, 2)).toEqual(['1 Reason 1', '2 Reason 2']);
  expect(lines().at(-1)).toContain('no key');
  expect(screen.getByText('Only the first nine reasons have a number key.')).toBeTruthy();
});

it('moves a reason with its digit, and the focus follows', async () => {
  open(['A', 'B', 'C']);
  const up = screen.getByRole('button', { name: 'Move “C” up' });
  up.focus();
  await fireEvent.click(up);
  await tick();
  expect(lines()).toEqual(['1 A', '2 C', '3 B']);
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move “C” up');
  await fireEvent.click(screen.getByRole('button', { name: 'Move “C” up' }));
  await tick();
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move “C” down');
  expect(screen.getByRole('status').textContent).toBe('“C” moved to 1.');
});

it('refuses a duplicate with a message, retains the text, and accepts it once it differs', async () => {
  open(['Wrong fact', 'Other']);
  await add('wrong FACT ');
  expect(screen.getByText('“Wrong fact” is already listed (1).')).toBeTruthy();
  expect(lines()).toHaveLength(2);
  await add('Wrong sum');
  expect(lines()).toEqual(['1 Wrong fact', '2 Other', '3 Wrong sum']);
  expect(screen.queryByText(/already/)).toBeNull();
});

it('shows a duplicate that was saved by other means, and removes the selected one', async () => {
  open(['A', 'B', 'A']);
  const last = screen.getAllByRole('listitem').at(-1) as HTMLElement;
  await fireEvent.click(within(last).getByRole('button', { name: 'Remove “A”' }));
  expect(lines()).toEqual(['1 A', '2 B']);
});

it('removes one, announces it, and moves the focus to the next one', async () => {
  open(['A', 'B', 'C']);
  const remove = (reason: string) => screen.getByRole('button', { name: `Remove “${reason}”` });
  for (const [gone, next] of [
    ['B', 'C'],
    ['C', 'A'],
  ] as const) {
    remove(gone).focus();
    await fireEvent.click(remove(gone));
    await tick();
    expect(document.activeElement).toBe(remove(next));
    expect(screen.getByRole('status').textContent).toBe(`Removed “${gone}”.`);
  }
  await fireEvent.click(remove('A'));
  await tick();
  expect(document.activeElement).toBe(screen.getByLabelText('New reason'));
});

it('accepts twenty and says that the limit is reached', () => {
  open(Array.from({ length: 20 }, (_, at) => `Reason ${at}`));
  expect(screen.getByText('Maximum of 20 reasons.')).toBeTruthy();
  expect(screen.queryByLabelText('New reason')).toBeNull();
});
