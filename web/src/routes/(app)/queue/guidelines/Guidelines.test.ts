// @vitest-environment happy-dom
// The guidelines beside the item are a labelled section of the page, and closing them returns the focus.
import { render, screen } from '@testing-library/svelte';
import { expect, it, onTestFinished, vi } from 'vitest';
import Guidelines from './Guidelines.svelte';

vi.mock('../queue-context.ts', () => ({
  getQueueContext: () => ({ reading: { guidelines: true } }),
  projectOf: () => ({ name: 'North', guidelines: 'Be kind.' }),
}));

it('is a region of the main part, takes the focus and returns it', async () => {
  document.body.insertAdjacentHTML('beforeend', '<button id="opener"></button>');
  const opener = document.getElementById('opener')!;
  onTestFinished(() => opener.remove());
  opener.focus();
  const { unmount } = render(Guidelines, { projectId: 'north', placement: 'column' });
  expect(screen.getByRole('region', { name: 'North guidelines' })).toBeTruthy();
  expect(screen.queryByRole('complementary')).toBeNull();
  expect(document.activeElement?.id).toBe('guidelines-heading');
  screen.getByRole('button', { name: 'Close guidelines' }).focus();
  unmount();
  expect(document.activeElement).toBe(opener);
});
