// @vitest-environment happy-dom
// Merging reasons that look alike (CT5), and making a guideline of one (CT6), in the page.
import type { Cluster } from '@countersign/shared/schemas/clusters';
import type { Project } from '@countersign/shared/schemas/projects';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import GuidelineDialog from './GuidelineDialog.svelte';
import MergeSuggestions from './MergeSuggestions.svelte';

const project = { id: 'p', reasons: ['Wrong sum'], guidelines: 'Be kind.' } as unknown as Project;
const cluster = (name: string, size: number, merge = true) =>
  ({ id: name, name, size, reasons: [{ reason: name, count: size }], abilities: { merge } }) as unknown as Cluster;

interface Sent {
  method: string;
  path: string;
  body: unknown;
}
function stubService(answer: (sent: Sent) => object): Sent[] {
  const all: Sent[] = [];
  vi.stubGlobal('fetch', (path: string, { method = 'GET', body }: { method?: string; body?: string }) => {
    const sent = { method, path, body: body === undefined ? null : (JSON.parse(body) as unknown) };
    all.push(sent);
    return Promise.resolve(Response.json(answer(sent)));
  });
  return all;
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('CT5: merges a group into the listed reason with one press, and puts another away', async () => {
  const sent = stubService(() => ({ id: 'Wrong sum' }));
  const ondone = vi.fn();
  const clusters = [
    cluster('sum is wrong', 90),
    cluster('Wrong sum', 20),
    cluster('Wrong sums', 5),
    cluster('forgot one person', 4),
    cluster('Forgot one of the people', 6),
  ];
  render(MergeSuggestions, { project, clusters, ondone });
  expect(screen.getByText('3 look alike: merge?')).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: /^Not now.*Forgot one of the people/ }));
  expect(screen.queryByText('2 look alike: merge?')).toBeNull();
  await fireEvent.click(screen.getByRole('button', { name: 'Merge into “Wrong sum”' }));
  await vi.waitFor(() => expect(ondone).toHaveBeenCalledWith('Wrong sum'));
  const merged = ['sum%20is%20wrong', 'Wrong%20sums'].map((id) => ({
    method: 'PATCH',
    path: `/api/projects/p/clusters/${id}`,
    body: { action: 'merge', into: 'Wrong sum' },
  }));
  expect(sent).toEqual(merged);
});

it('CT5: suggests nothing to a member who may not merge', () => {
  const clusters = [cluster('Wrong sum', 2, false), cluster('Wrong sums', 2, false)];
  render(MergeSuggestions, { project, clusters, ondone: vi.fn() });
  expect(screen.queryByRole('button')).toBeNull();
});

it('CT6: appends the line to the guidelines as they are now', async () => {
  const sent = stubService(({ method }) =>
    method === 'GET' ? { guidelines: '- Be brief.', settings_version: 7 } : { id: 'p', settings_version: 8 },
  );
  const ondone = vi.fn();
  render(GuidelineDialog, { projectId: 'p', cluster: cluster('Wrong sum', 2), ondone, onclose: vi.fn() });
  const field = screen.getByLabelText<HTMLTextAreaElement>('Guideline');
  expect(field.value).toBe('Wrong sum: ');
  await fireEvent.input(field, { target: { value: 'Wrong sum: add up the rows.' } });
  await fireEvent.submit(field.closest('form')!);
  await vi.waitFor(() => expect(ondone).toHaveBeenCalledWith(8));
  const guidelines = '- Be brief.\n- Wrong sum: add up the rows.';
  expect(sent[1]?.body).toEqual({ guidelines, settings_version: 7 });
});
