// @vitest-environment happy-dom
// SK5 in the page: what the entries of the form would do, asked again soon after each change.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import type { Skill } from '@countersign/shared/skills';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import { SettingsForm } from '../../settings/settings-form.svelte.ts';
import SkillForecast from './SkillForecast.svelte';

const ANA = '0198c2f0-7a10-7c3e-9f6b-000000000001';
const LEGAL: Skill = { match: { flag: 'legal' }, people: [ANA], after_minutes: 30 };

interface Sent {
  path: string;
  body: { skills: unknown[]; auto_threshold: number };
}
let sent: Sent[];
let answer: () => Response;

beforeEach(() => {
  sent = [];
  answer = () => Response.json({ items: 100, queued: 40, entries: [{ reserved: 12, early: 2, people: [ANA] }] });
  vi.spyOn(live.presence, 'isKnown').mockReturnValue(true);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('fetch', (path: string, { body }: { body: string }) => {
    sent.push({ path, body: JSON.parse(body) as Sent['body'] });
    return Promise.resolve(answer());
  });
});
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function show(readonly = false): Promise<SettingsForm> {
  const project = {
    ...{ id: 'p', name: 'Maths answers', ...DEFAULT_SETTINGS, skills: [LEGAL], settings_version: 4 },
    ...{ skill_people: [{ user_id: ANA, name: 'Ana' }], abilities: { change_settings: true } },
  } as unknown as Project;
  const form = new SettingsForm(project, 'me');
  render(SkillForecast, { project, draft: form.draft, readonly });
  await vi.runAllTimersAsync();
  return form;
}

const rows = () => screen.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent.trim()));

it('SK5: says how many items each entry would reserve, who is active, and when others may have them', async () => {
  await show();
  expect(sent.map(({ path }) => path)).toEqual(['/api/projects/p/skills/forecast']);
  expect(rows()).toEqual([
    ['newest 100 items', 'items', 'active now', 'others after'],
    ['Items flagged “legal”', '12', '1 of 1', '30 min'],
    ['Other items for review', '28', '', 'at once'],
  ]);
  expect(screen.getByRole('status').textContent.trim()).toBe('');
  expect(screen.getByText('2 items would be for everyone sooner, because of their deadlines.')).toBeTruthy();
});

it('SK5: says how many items nobody who is active would get first', async () => {
  vi.spyOn(live.presence, 'isAway').mockReturnValue(true);
  await show();
  expect(rows()[1]?.[2]).toBe('0 of 1');
  expect(screen.getByRole('status').textContent.trim()).toBe(
    'Nobody who is active now would get 12 items first: they would be for everyone after 30 minutes.',
  );
});

it('SK5: says that it is unknown who is active, and warns of nothing', async () => {
  vi.spyOn(live.presence, 'isKnown').mockReturnValue(false);
  vi.spyOn(live.presence, 'isAway').mockReturnValue(true);
  await show();
  expect(rows()[1]?.[2]).toBe('unknown');
  expect(screen.getByRole('status').textContent.trim()).toBe('');
});

it('SK2: says that an entry has nobody who counts, also where the form names people', async () => {
  answer = () => Response.json({ items: 100, queued: 40, entries: [{ reserved: 12, early: 2, people: [] }] });
  await show();
  expect(rows()[1]).toEqual(['Items flagged “legal”', '0', 'nobody', 'at once']);
});

it.each([
  [false, 'If you save these entries'],
  [true, 'What these entries do'],
])('is headed for people who can save, and for those who cannot: %s', async (readonly, heading) => {
  await show(readonly);
  expect(screen.getByRole('region', { name: heading })).toBeTruthy();
});

it('SK5: asks once after several changes of the form, and not while a threshold is invalid', async () => {
  const form = await show();
  for (const threshold of ['0.93', '0.94', '0.95']) {
    form.draft.auto_threshold = threshold;
    flushSync();
  }
  await vi.runAllTimersAsync();
  expect(sent.map(({ body }) => body.auto_threshold)).toEqual([DEFAULT_SETTINGS.auto_threshold, 0.95]);
  form.draft.escalate_flags = ['danger'];
  form.draft.auto_threshold = '7';
  flushSync();
  await vi.runAllTimersAsync();
  expect(sent.at(-1)?.body.auto_threshold).toBe(DEFAULT_SETTINGS.auto_threshold);
});

it('says what is wrong, and asks again on request', async () => {
  const fine = answer;
  const problem = { title: 'No', status: 500, detail: 'No.', code: 'internal', request_id: 'r' };
  answer = () => Response.json(problem, { status: 500 });
  await show();
  expect(screen.getByText("Couldn't load what the entries would do")).toBeTruthy();
  answer = fine;
  await fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await vi.waitFor(() => expect(screen.getByRole('table')).toBeTruthy());
});

it('says that there are no items to count', async () => {
  answer = () => Response.json({ items: 0, queued: 0, entries: [{ reserved: 0, early: 0, people: [ANA] }] });
  await show();
  expect(screen.getByText(/^No items to count\./)).toBeTruthy();
  expect(screen.queryByRole('table')).toBeNull();
});
