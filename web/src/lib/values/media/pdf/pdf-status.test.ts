// @vitest-environment happy-dom
// A PDF or a page of it that cannot be shown is said in a live region that was there before.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PdfFile } from './pdf-file.ts';
import PdfPage from './PdfPage.svelte';
import PdfValue from './PdfValue.svelte';

/** The viewer, as far as its file is concerned: it loads it once. */
const viewer = vi.hoisted(() => ({ shown: 0, bytes: [] as number[] }));
vi.mock('./PdfView.svelte', () => ({
  default: (_: unknown, { load }: { load: () => Promise<Uint8Array> }) => {
    viewer.shown += 1;
    load().then(
      (bytes) => viewer.bytes.push(bytes.length),
      () => undefined,
    );
  },
}));
beforeEach(() => Object.assign(viewer, { shown: 0, bytes: [] }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const SRC = '/api/items/i/media';
const refusal = (code: string, detail: string) => Response.json({ status: 422, code, detail }, { status: 422 });
const retry = () => screen.queryByRole('button', { name: 'Retry: PDF' });

it('says why our server does not serve the file, which is not tried again', async () => {
  vi.stubGlobal('fetch', async () => refusal('media_refused', 'Larger than 25 MiB.'));
  const { container } = render(PdfValue, { src: SRC, label: 'PDF', bytes: null });
  const status = container.querySelector('[role=status]');
  await vi.waitFor(() => expect(status?.textContent).toBe('Larger than 25 MiB.'));
  expect(retry()).toBeNull();
});

it('is shown at a press, or when the network is back, after it could not be fetched', async () => {
  let answer = (): Promise<Response> => Promise.resolve(refusal('media_unavailable', 'No file.'));
  vi.stubGlobal('fetch', () => answer());
  const { container } = render(PdfValue, { src: SRC, label: 'PDF', bytes: null });
  const status = container.querySelector('[role=status]');
  await vi.waitFor(() => expect(status?.textContent).toBe('No file.'));
  answer = () => Promise.reject(new TypeError('Failed to fetch'));
  await fireEvent.click(retry()!);
  await vi.waitFor(() => expect(status?.textContent).toBe("Can't display this PDF."));
  answer = () => Promise.resolve(new Response('%PDF'));
  window.dispatchEvent(new Event('online'));
  await vi.waitFor(() => expect(viewer).toEqual({ shown: 3, bytes: [4] }));
  expect([status?.textContent, retry()]).toEqual(['', null]);
});

it('says that a page cannot be shown', async () => {
  let fail = (): void => undefined;
  const file = { draw: () => new Promise((_, reject) => (fail = () => reject(new Error('No')))) } as unknown as PdfFile;
  const { container } = render(PdfPage, { file, page: 2, scale: 1, turns: 0, ontext: () => undefined });
  const status = container.querySelector('[role=status]');
  fail();
  await vi.waitFor(() => expect(status?.textContent).toContain('3'));
});

it('is downloaded as it was read, without another request', async () => {
  const fetching = vi.fn(async () => new Response('%PDF'));
  vi.stubGlobal('fetch', fetching);
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:x');
  render(PdfValue, { src: SRC, label: 'PDF', bytes: null });
  await vi.waitFor(() => expect(viewer.bytes).toEqual([4]));
  await fireEvent.click(screen.getByRole('button', { name: 'Download PDF' }));
  await vi.waitFor(() => expect(saved).toHaveBeenCalledTimes(1));
  expect((saved.mock.calls[0]?.[0] as Blob).size).toBe(4);
  expect(fetching).toHaveBeenCalledTimes(1);
});

it('says that a download failed, and closes nothing: it opens at a press as before', async () => {
  let answer = (): Promise<Response> => new Promise(() => undefined);
  vi.stubGlobal('fetch', () => answer());
  // As many as open by themselves.
  for (let n = 0; n < 3; n += 1) render(PdfValue, { src: `${SRC}?${n}`, label: 'PDF', bytes: null });
  const { container } = render(PdfValue, { src: SRC, label: 'PDF', bytes: 4096 });
  const [status, failed] = container.querySelectorAll('[role=status]');
  const own = within(container);
  answer = () => Promise.reject(new TypeError('Failed to fetch'));
  await fireEvent.click(own.getByRole('button', { name: 'Download PDF' }));
  await vi.waitFor(() => expect(failed?.textContent).toBe('The PDF could not be downloaded. Try again.'));
  expect(status?.textContent).toBe('');
  answer = () => Promise.resolve(new Response('%PDF'));
  await fireEvent.click(own.getByRole('button', { name: 'Show PDF (4 KiB)' }));
  await vi.waitFor(() => expect(viewer).toEqual({ shown: 4, bytes: [4] }));
});
