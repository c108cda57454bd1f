// @vitest-environment happy-dom
// A decided item: the decision, and of a redacted one that its content is gone (KE2).
import { when } from '#lib/format/when.ts';
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import DecidedItem from './DecidedItem.svelte';

const page = vi.hoisted(() => ({ owner: true, draft: null as { text: string; savedAt: string } | null }));
vi.mock('$app/paths', () => ({
  resolve: (route: string, { id, tab }: Record<string, string>) =>
    route
      .replace('/(app)', '')
      .replace('[id]', id ?? '')
      .replace('[[tab]]', tab ?? ''),
}));
vi.mock('../../queue-context.ts', () => ({
  getQueueContext: () => ({
    reviewSession: { item: { lost: false } },
    drafts: { read: () => page.draft, notes: () => ({ note: '', own: '' }), others: () => [], otherNotes: () => [] },
    me: { id: 'me', name: 'Me' },
  }),
  projectOf: () => ({ abilities: { change_settings: page.owner } }),
}));

const AT = '2026-11-24T12:00:00.000Z';
const APPROVED = {
  id: 'one',
  project_id: 'p1',
  status: 'approved',
  input: 'Which one?',
  suggestion: 'The first suggestion.',
  audited: false,
  decided_by: 'Ana',
  decision: {
    status: 'approved',
    action: 'edit',
    edited: true,
    output: 'The second answer.',
    reason: 'Wrong fact',
    note: 'See above.',
    reviewer_id: 'ana',
    decided_at: AT,
  },
  emptied_at: null,
  answer_schema: null,
  suggestion_faults: null,
  abilities: { revise: false },
} as unknown as ItemDetail;
const redacted = (item: ItemDetail, decision: object = {}): ItemDetail => ({
  ...item,
  input: null,
  suggestion: null,
  decision: item.decision && { ...item.decision, ...decision, output: null, note: null },
  emptied_at: AT,
});
const NOTICE = /^Content deleted on .*2026 under the project's retention policy\.$/;
const shown = (detail: ItemDetail) => render(DecidedItem, { detail }).container.textContent.replaceAll(/\s+/g, ' ');

beforeEach(() => Object.assign(page, { owner: true, draft: null }));
afterEach(cleanup);

describe('KE2: a redacted item', () => {
  it('says since when, and still who decided what and why', () => {
    const said = shown(redacted(APPROVED));
    expect(screen.getByText(NOTICE).title).toContain('2026');
    for (const stays of ['Ana decided this: edited', 'Wrong fact']) expect(said).toContain(stays);
    for (const none of ['null', 'Sent to the pipeline', 'Note']) expect(said).not.toContain(none);
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('shows no null when it was approved unchanged', () => {
    expect(shown(redacted(APPROVED, { action: 'approve', edited: false, reason: null }))).not.toMatch(/null|Sent to/);
  });

  it('still says that nothing was sent when it was rejected, by people or by the rules', () => {
    const rejected = redacted(
      { ...APPROVED, status: 'rejected' },
      { action: 'reject', status: 'rejected', edited: false },
    );
    for (const item of [rejected, { ...rejected, decision: null }]) {
      expect(shown(item)).toContain('Nothing. The suggestion is not shipped.');
      expect(screen.getByText(NOTICE)).toBeTruthy();
      cleanup();
    }
  });

  it.each([{ edited: true }, { action: 'approve', edited: false }])(
    'still shows the verdict of an audit, and no content: %o',
    (decision) => {
      const said = shown(redacted({ ...APPROVED, audited: true }, decision));
      expect(said).toMatch(/Verdict (edited|approved)/);
      expect(said).not.toMatch(/null|Sent to the pipeline/);
    },
  );

  it("shows the user's draft without a comparison, because the suggestion is gone", () => {
    page.draft = { text: 'My own answer.', savedAt: AT };
    expect(shown(redacted(APPROVED))).toContain('My own answer.');
    expect(document.querySelector('del, ins')).toBeNull();
    expect(document.body.textContent).not.toContain('null');
  });

  it('links to the retention setting for users who may change it', () => {
    shown(redacted(APPROVED));
    const link = screen.getByRole('link', { name: 'Data retention' });
    expect(link.getAttribute('href')).toBe('/projects/p1/rules#keeping');
    cleanup();
    page.owner = false;
    shown(redacted(APPROVED));
    expect(screen.queryByRole('link')).toBeNull();
  });
});

it('says nothing of the kind while the content is there', () => {
  const said = shown(APPROVED);
  expect(said).toContain('See above.');
  expect(said).toContain('second');
  expect(said).not.toContain('Content deleted');
});

describe('the time of a decision', () => {
  const DAY_MS = 86_400_000;
  const [TODAY, EARLIER] = [0, 3].map((days) => new Date(Date.now() - days * DAY_MS).toISOString()) as [string, string];
  const dayOf = (at: string) => when(at, Date.now());
  const decidedAt = (at: string, more: object = {}): ItemDetail => ({
    ...APPROVED,
    ...more,
    decision: APPROVED.decision && { ...APPROVED.decision, decided_at: at },
  });

  it('is alone on the same day, and has its day afterwards', () => {
    expect(shown(decidedAt(TODAY))).toMatch(/Ana decided this: edited(?: and approved)? at \d/);
    cleanup();
    expect(shown(decidedAt(EARLIER))).toMatch(new RegExp(`decided this: edited.* on ${dayOf(EARLIER)}`));
  });

  it('has the day for the decisions before a revision, too', async () => {
    const { decision } = decidedAt(EARLIER);
    const earlier = [{ decision: { ...decision, id: 'first', revision: 1 }, decided_by: 'Bo' }];
    const detail = {
      ...decidedAt(TODAY),
      decision: { ...decision, decided_at: TODAY, revision: 2, revises: 'first' },
      earlier_decisions: earlier,
    } as unknown as ItemDetail;
    const { container } = render(DecidedItem, { detail });
    await vi.waitFor(() =>
      expect(container.textContent).toMatch(new RegExp(`Bo decided this: edited.* on ${dayOf(EARLIER)}`)),
    );
  });

  it('an unsent draft beside it has the day it was saved on', () => {
    page.draft = { text: 'My own answer.', savedAt: EARLIER };
    expect(shown(decidedAt(TODAY))).toContain(`saved ${dayOf(EARLIER)}`);
  });
});
