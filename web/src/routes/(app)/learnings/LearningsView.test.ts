// @vitest-environment happy-dom
// The learnings page without matching learnings: what it says, and what stays.
import type { Project } from '@countersign/shared/schemas/projects';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import LearningsView from './LearningsView.svelte';
import { messages } from './messages.ts';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));
vi.mock('$app/navigation', () => ({ goto: vi.fn() }));
const page = vi.hoisted(() => ({ url: new URL('http://here.test/learnings') }));
vi.mock('$app/state', () => ({ page }));

const PROJECT = { id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11', name: 'Maths', abilities: {} } as Project;
const RUN = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b12';
const run = {
  ...{ id: RUN, title: 'Model v2', filter: null, cases: 0, answered: 0, still_fails: 0, differs: 0, fixed: 0 },
  ...{
    unnoticed: 0,
    started_by_name: 'Olga',
    answered_by_name: null,
    answered_at: null,
    created_at: '2026-01-01T00:00:00.000Z',
  },
};

beforeEach(() => {
  vi.spyOn(live, 'on').mockReturnValue(() => undefined);
  const none = { data: [], next_cursor: null, total: 0, excluded: 0 };
  vi.stubGlobal('fetch', (address: string) => {
    if (address.includes('/values')) return Promise.resolve(Response.json({ flags: [], models: [], sources: [] }));
    if (address.includes(RUN)) return Promise.resolve(Response.json({ ...none, run }));
    return Promise.resolve(Response.json(address.includes('/regressions') ? { ...none, data: [run] } : none));
  });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function open(query: string): void {
  page.url = new URL(`http://here.test/learnings?project=${PROJECT.id}&${query}`);
  render(LearningsView, { project: PROJECT });
}

it.each([
  ['q=zzz', messages.noneAnswers],
  ['', messages.empty],
])('says for “%s” that there are no learnings', async (query, said) => {
  open(query);
  expect(await screen.findByText(said)).toBeTruthy();
});

it.each([`run=${RUN}&q=zzz`, `run=${RUN}`, 'show=runs&q=zzz', 'show=runs'])(
  'shows regression runs for “%s” although no learning matches',
  async (query) => {
    open(query);
    expect(await screen.findByText('Model v2')).toBeTruthy();
    expect(screen.queryByText(messages.noneAnswers)).toBeNull();
    expect(screen.queryByText(messages.empty)).toBeNull();
  },
);
