// @vitest-environment happy-dom
// That all demo items are loaded is said in a live region that was there before.
import type { Project } from '@countersign/shared/schemas/projects';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import type { OnboardingFeed } from './onboarding-feed.svelte.ts';
import OnboardingView from './OnboardingView.svelte';

vi.mock('./Onboarding.svelte', () => ({ default: () => undefined }));
vi.mock('./new-keys.svelte.ts', () => ({ newKeyOf: () => 'key' }));
vi.mock('./load-demo-items.ts', () => ({
  loadDemoItems: async ({ items, onsent }: { items: unknown[]; onsent: (done: number) => void }) =>
    onsent(items.length),
}));
afterEach(cleanup);

it('says that all demo items are loaded', async () => {
  const run = { created_at: new Date().toISOString(), key: null, item: null, decision: null, webhook: null, gone: {} };
  const feed = { run } as unknown as OnboardingFeed;
  const { container } = render(OnboardingView, {
    project: { id: 'p', name: 'North' } as Project,
    feed,
    keyError: null,
    ondismiss: () => undefined,
  });
  const before = [...container.querySelectorAll('[role=status]')];
  await fireEvent.click(screen.getByRole('button', { name: 'Load 20 demo items' }));
  await vi.waitFor(() => expect(before.map(({ textContent }) => textContent)).toContain('Loaded 20 demo items'));
});
