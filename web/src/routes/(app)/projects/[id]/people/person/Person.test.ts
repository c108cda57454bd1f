// @vitest-environment happy-dom
// The page of a member follows the events of its project.
import type { Project } from '@countersign/shared/schemas/projects';
import type { PersonFigures } from '@countersign/shared/schemas/team';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import Person from './Person.svelte';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route }));

const SPACING_MS = 3000;
const IDLE_MS = 60_000;
const PERSON: PersonFigures = {
  from: '2026-10-28T12:00:00.000Z',
  to: '2026-11-27T12:00:00.000Z',
  server_time: '2026-11-27T12:00:00.000Z',
  time_zone: 'UTC',
  user_id: 'ana',
  name: 'Ana',
  role: 'reviewer',
  ...{ holding: 0, decided: 0, overridden: 0, interval: null, moved: 0, claimed: 0, overturned: 0 },
  pace: { n: 0, seconds: null },
  days: [],
  hours: Array.from({ length: 24 }, () => 0),
  ...{ audits: null, team: null },
};

let hear: (event: object) => void;
let holding: number;

beforeEach(() => {
  vi.useFakeTimers();
  holding = 1;
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ ...PERSON, holding })));
  vi.spyOn(live, 'on').mockImplementation((_: string, listener: unknown) => {
    hear = listener as typeof hear;
    return () => undefined;
  });
  render(Person, { project: { id: 'p', name: 'Maths' } as Project, userId: 'ana' });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('PF1: shows what the member holds after an event of the project, and of no other', async () => {
  await vi.advanceTimersByTimeAsync(SPACING_MS);
  expect(screen.getByText(/holds 1 item/)).toBeTruthy();
  holding = 2;
  hear({ project_id: 'another' });
  await vi.advanceTimersByTimeAsync(SPACING_MS);
  expect(screen.getByText(/holds 1 item/)).toBeTruthy();
  hear({ project_id: 'p' });
  await vi.advanceTimersByTimeAsync(SPACING_MS);
  expect(screen.getByText(/holds 2 items/)).toBeTruthy();
});

it('PF1: follows the window without events', async () => {
  await vi.advanceTimersByTimeAsync(0);
  holding = 3;
  await vi.advanceTimersByTimeAsync(IDLE_MS + SPACING_MS);
  expect(screen.getByText(/holds 3 items/)).toBeTruthy();
});
