// @vitest-environment happy-dom
// The result of a preview, and that it is out of date, are said in live regions that were there before.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { SettingsForm } from '../settings/settings-form.svelte.ts';
import Preview from './Preview.svelte';

vi.mock('#lib/values/json/EditJson.svelte', () => ({ default: () => undefined }));
vi.mock('./PreviewedItem.svelte', () => ({ default: () => undefined }));
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

it('says what would become of the item', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ status: 'escalated', routing: { rule: 'RT1' }, item: {} }));
  const form = { project: { id: 'p' } } as unknown as SettingsForm;
  const { container } = render(Preview, { form });
  const before = new Set(container.querySelectorAll('[role=status]'));
  const said = () => [...container.querySelectorAll('[role=status]')].filter((status) => before.has(status));
  await fireEvent.click(screen.getAllByRole('button')[0]!);
  await vi.waitFor(() =>
    expect(said().map(({ textContent }) => textContent)).toContain('It would be escalated to supervisors.'),
  );
});
