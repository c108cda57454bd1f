// @vitest-environment happy-dom
// A long list of clusters: its first 60 rows render at once, and the others in steps.
import type { Cluster } from '@countersign/shared/schemas/clusters';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LearningsLog } from '../learnings.svelte.ts';
import type { UrlState } from '../url-state.ts';
import Clusters from './Clusters.svelte';

vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

const MANY = 100;
const FIRST = 60;
/** The row of all learnings is above those of the clusters. */
const shown = () => screen.getAllByRole('rowheader').length - 1;

const clusters = Array.from({ length: MANY }, (_, n) => {
  const counts = { size: 1, excluded: 0, edited: 1, rejected: 0, trend: [0, 1] };
  return { id: `c${n}`, name: `Reason ${n}`, top_flag: null, ...counts } as unknown as Cluster;
});
const log = { clusters, projectId: 'p', total: MANY, more: false, hasNew: () => false } as unknown as LearningsLog;
const open = (cluster: string | null) =>
  render(Clusters, { log, urlState: { cluster, range: 'all', filter: {} } as UrlState });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: vi.fn(), removeEventListener: vi.fn() }));
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('renders 60 clusters first, and then all of them', async () => {
  open(null);
  expect(shown()).toBe(FIRST);
  await vi.runAllTimersAsync();
  expect(shown()).toBe(MANY);
});

it('renders the rows up to the selected cluster at once', () => {
  open('c79');
  expect(shown()).toBe(80);
});
