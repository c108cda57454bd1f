// @vitest-environment happy-dom
// A row of the project list without colours: the age with a word, people by name, health with a word.
import { cleanup, render } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Project } from '@countersign/shared/schemas/projects';
import { messages } from './messages.ts';
import ProjectRow from './ProjectRow.svelte';
import WebhookHealth from './WebhookHealth.svelte';

vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterEach(() => {
  cleanup();
  document.body.replaceChildren();
  vi.useRealTimers();
});

const SUMMARY = {
  queued: 0,
  escalated: 0,
  reviewing: 0,
  decided_today: 0,
  overridden_today: 0,
  oldest_at: null,
  reviewers: [],
  reviewer_count: 0,
  webhook: 'healthy',
} as unknown as Project['summary'];

/** A cell of the row of a project with this summary and a target of an hour. */
function cellOf(column: number, summary: Partial<Project['summary']>): HTMLElement {
  const target = document.createElement('tbody');
  const project = { id: 'p1', name: 'Refunds', target_minutes: 60, summary: { ...SUMMARY, ...summary } } as Project;
  render(ProjectRow, {
    target: document.body.appendChild(document.createElement('table')).appendChild(target),
    props: { project },
  });
  return target.querySelectorAll<HTMLElement>('th, td')[column]!;
}

const textOf = (container: Element) => (container.textContent ?? '').replace(/\s+/g, ' ').trim();

describe('the oldest age', () => {
  const OLDEST = 2;
  it.each<[number, string, boolean]>([
    [50, '50 min', false],
    [51, '51 min due soon', true],
    [61, '1 h 1 min past due', true],
  ])('after %i of 60 minutes says “%s”', (minutes, text, marked) => {
    const cell = cellOf(OLDEST, { oldest_at: new Date(NOW - minutes * 60_000).toISOString() });
    expect(textOf(cell)).toBe(text);
    expect(cell.querySelector('svg') !== null).toBe(marked);
  });

  it('is unknown when nothing waits', () => {
    expect(textOf(cellOf(OLDEST, { oldest_at: null }))).toBe('—');
  });
});

describe('the reviewers', () => {
  const REVIEWERS = 3;
  const reviewers = (...names: string[]) => names.map((name) => ({ user_id: name, name }));
  it.each<[string, { reviewers: { user_id: string; name: string }[]; reviewer_count: number }, string, string[]]>([
    ['nobody', { reviewers: [], reviewer_count: 0 }, 'nobody', []],
    ['one', { reviewers: reviewers('Ana Ruiz'), reviewer_count: 1 }, 'Ana Ruiz AR', ['Ana Ruiz']],
    ['two', { reviewers: reviewers('Ana', 'Ben'), reviewer_count: 2 }, 'Ana and Ben AN BE', ['Ana', 'Ben']],
    ['more', { reviewers: reviewers('Ana', 'Ben'), reviewer_count: 9 }, 'Ana, Ben and 7 more AN BE +7', ['Ana', 'Ben']],
  ])('%s', (_, summary, text, titles) => {
    const cell = cellOf(REVIEWERS, summary);
    expect(textOf(cell)).toBe(text);
    expect([...cell.querySelectorAll('[title]')].map((element) => element.getAttribute('title'))).toEqual(titles);
  });
});

it.each(Object.entries(messages.health))('a webhook that is %s says “%s” beside an icon', (health, word) => {
  const summary = { webhook: health as keyof typeof messages.health, retrying: 4 };
  const { container } = render(WebhookHealth, { summary });
  expect(textOf(container)).toBe(health === 'retrying' ? '4 retrying' : word);
  expect(container.querySelector('svg')).not.toBeNull();
});
