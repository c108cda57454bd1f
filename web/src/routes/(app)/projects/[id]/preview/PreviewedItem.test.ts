// @vitest-environment happy-dom
// PV1: a previewed item is shown as the queue shows it, without fetching anything.
import type { ItemPreview } from '@countersign/shared/schemas/previews';
import type { Project } from '@countersign/shared/schemas/projects';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import PreviewedItem from './PreviewedItem.svelte';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const HOST = 'pictures.example';

function show(input: unknown, fromText = false) {
  const item = {
    ...{ id: 'i', project_id: 'p', input, suggestion: 'A parcel', has_suggestion: true, risk_flags: ['Violence'] },
    ...{ kind: 'answer', answer_schema: null, schema_faults: [], preview: 'A parcel', title: null },
  };
  const preview = { status: 'queued', routing: { rule: 'RT3' }, item } as unknown as ItemPreview;
  const project = {
    ...{ id: 'p', content_kinds: {}, media_hosts: [HOST], sensitive_flags: ['violence'], sensitive_pictures: 'blur' },
    abilities: { change_settings: true },
  } as unknown as Project;
  return render(PreviewedItem, { preview, project, fromText });
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('ST3: blurs the pictures of an item with a sensitive flag', async () => {
  const { container } = show({ photo: PIXEL });
  await vi.waitFor(() => expect(container.querySelector('img')?.className).toContain('blur'));
});

it('names a picture of an allowed host, and neither fetches it nor calls the host refused', async () => {
  const { container } = show({ photo: `https://${HOST}/a.png` });
  await screen.findByText(/hosted at pictures\.example/);
  expect(container.querySelector('img')).toBeNull();
  expect(container.querySelector('a[href*="rules#content"]')).toBeNull();
});

it('says that a plain text became the suggestion', () => {
  show(null, true);
  expect(screen.getByText(/The text is not JSON/)).toBeTruthy();
});
