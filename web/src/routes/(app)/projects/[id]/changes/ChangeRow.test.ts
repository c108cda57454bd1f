// @vitest-environment happy-dom
// An entry of the change log in the page: names are text with any content, long texts are compared on request.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import type { ProjectChange } from '@countersign/shared/schemas/changes';
import ChangeRow from './ChangeRow.svelte';

const ME = '01980000-0000-7000-8000-000000000001';

afterEach(cleanup);

function show(change: Partial<ProjectChange>): HTMLElement {
  const line: ProjectChange = {
    id: '01980000-0000-7000-8000-0000000000ff',
    action: 'settings.changed',
    subject: null,
    subject_id: null,
    before: null,
    after: null,
    changed_by: { user_id: ME, name: 'Olga' },
    changed_at: '2026-11-20T12:00:00.000Z',
    ...change,
  };
  const target = document.body.appendChild(document.createElement('table')).createTBody();
  render(ChangeRow, { target, props: { change: line, userId: ME } });
  return target;
}

const textOf = (row: HTMLElement) => (row.textContent ?? '').replace(/\s+/g, ' ').trim();

it('says who did what to what, before and after, and when exactly', () => {
  const row = show({ subject: 'v13', before: { target_minutes: 60 }, after: { target_minutes: 30 } });
  expect(textOf(row)).toContain('Olga changed the settings to v13 decision target 60 min 30 min');
  expect(row.querySelector('del')?.textContent).toBe('60 min');
  expect(row.querySelector('ins')?.textContent).toBe('30 min');
  expect(row.querySelector('time')?.getAttribute('datetime')).toBe('2026-11-20T12:00:00.000Z');
  expect(row.querySelector('time')?.title).toContain('2026');
});

it('shows hostile names as text, with their hidden characters', () => {
  const hostile = '<img src=x onerror=alert(1)>\u202Egnol\u200B https://evil.example/';
  const row = show({
    action: 'member.joined',
    subject: hostile,
    after: { role: 'reviewer', by_invite_of: hostile },
    changed_by: { user_id: null, name: hostile },
  });
  expect(row.querySelectorAll('img, a, script')).toHaveLength(0);
  expect(textOf(row)).toContain('<img src=x onerror=alert(1)>RLO');
  expect(row.querySelectorAll('[title^="U+202E"]').length).toBeGreaterThanOrEqual(3);
  expect(row.querySelectorAll('[title^="U+200B"]').length).toBeGreaterThanOrEqual(3);
  for (const marked of row.querySelectorAll('[title^="U+202E"]'))
    expect(marked.closest('[dir="auto"]')?.className).toContain('unicode-bidi:isolate');
});

it('compares guidelines on request, and hides the comparison again', async () => {
  const row = show({ before: { guidelines: 'Be kind.\nBe quick.' }, after: { guidelines: 'Be kind.\nBe thorough.' } });
  expect(textOf(row)).not.toContain('thorough');
  const button = screen.getByRole('button', { name: 'Compare guidelines' });
  expect(button.getAttribute('aria-expanded')).toBe('false');
  await fireEvent.click(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  await screen.findByRole('group');
  expect(row.querySelector('[role="group"] del')?.textContent).toContain('quick');
  expect(row.querySelector('[role="group"] ins')?.textContent).toContain('thorough');
  await fireEvent.click(button);
  expect(textOf(row)).not.toContain('thorough');
});

it('of a new project expands to its initial settings', async () => {
  const row = show({
    action: 'project.created',
    after: { name: 'Refunds', guidelines: 'Be kind.', target_minutes: 60 },
  });
  expect(textOf(row)).not.toContain('60 min');
  await fireEvent.click(screen.getByRole('button', { name: 'Initial settings' }));
  expect(textOf(row)).toContain('target 60 min');
  expect(textOf(row)).toContain('Be kind.');
});
