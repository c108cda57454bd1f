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
const log = {
  clusters,
  projectId: 'p',
  total: MANY,
  withoutReason: 0,
  more: false,
  hasNew: () => false,
} as unknown as LearningsLog;
const open = (cluster: string | null, of: LearningsLog = log) =>
  render(Clusters, { log: of, urlState: { cluster, range: 'all', filter: {} } as UrlState });

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

it('counts learnings without a reason in a row of their own, and has none without them', () => {
  const rows = () => screen.getAllByRole('row').map((row) => row.textContent.replace(/\s+/g, ' ').trim());
  const given = { clusters: clusters.slice(0, 2), projectId: 'p', more: false, hasNew: () => false };
  open(null, { ...given, total: 5, withoutReason: 3 } as unknown as LearningsLog);
  expect([rows()[1], rows().at(-1)]).toEqual([expect.stringMatching(/^All reasons.*5$/), 'No reason given3']);
  cleanup();
  open(null, { ...given, total: 2, withoutReason: 0 } as unknown as LearningsLog);
  expect(rows().join()).not.toContain('No reason given');
});

it('renders the rows up to the selected cluster at once', () => {
  open('c79');
  expect(shown()).toBe(80);
});
