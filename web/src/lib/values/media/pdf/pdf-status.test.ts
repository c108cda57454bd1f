// @vitest-environment happy-dom
// A PDF or a page of it that cannot be shown is said in a live region that was there before.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { PdfFile } from './pdf-file.ts';
import PdfPage from './PdfPage.svelte';
import PdfValue from './PdfValue.svelte';

vi.mock('./PdfView.svelte', () => ({ default: () => undefined }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('says why our server does not serve the file', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ detail: 'Larger than 25 MiB.' }, { status: 422 }));
  const { container } = render(PdfValue, { src: '/api/items/i/media', label: 'PDF', bytes: null });
  const status = container.querySelector('[role=status]');
  await fireEvent.click(screen.getByRole('button', { name: 'Download PDF' }));
  await vi.waitFor(() => expect(status?.textContent).toBe('Larger than 25 MiB.'));
});

it('says that a page cannot be shown', async () => {
  let fail = (): void => undefined;
  const file = { draw: () => new Promise((_, reject) => (fail = () => reject(new Error('No')))) } as unknown as PdfFile;
  const { container } = render(PdfPage, { file, page: 2, scale: 1, turns: 0, ontext: () => undefined });
  const status = container.querySelector('[role=status]');
  fail();
  await vi.waitFor(() => expect(status?.textContent).toContain('3'));
});
