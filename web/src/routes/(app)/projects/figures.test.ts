// @vitest-environment happy-dom
// A row of the project list without colours: the age with a word, people by name, health with a word.
import { cleanup, render } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import OldestAge from './OldestAge.svelte';
import Reviewers from './Reviewers.svelte';
import { messages } from './messages.ts';
import WebhookHealth from './WebhookHealth.svelte';

afterEach(cleanup);

const textOf = (container: HTMLElement) => (container.textContent ?? '').replace(/\s+/g, ' ').trim();

describe('the oldest age', () => {
  const NOW = Date.parse('2026-03-01T12:00:00.000Z');
  it.each<[number, string, boolean]>([
    [20, '20 min', false],
    [31, '31 min due soon', true],
    [61, '1 h 1 min past due', true],
  ])('after %i of 60 minutes says “%s”', (minutes, text, marked) => {
    const at = new Date(NOW - minutes * 60_000).toISOString();
    const { container } = render(OldestAge, { at, targetMinutes: 60, now: NOW });
    expect(textOf(container)).toBe(text);
    expect(container.querySelector('svg') !== null).toBe(marked);
  });

  it('is unknown when nothing waits', () => {
    const { container } = render(OldestAge, { at: null, targetMinutes: 60, now: NOW });
    expect(textOf(container)).toBe('—');
  });
});

describe('the reviewers', () => {
  const reviewers = (...names: string[]) => names.map((name) => ({ user_id: name, name }));
  it.each<[string, { reviewers: { user_id: string; name: string }[]; reviewer_count: number }, string, string[]]>([
    ['nobody', { reviewers: [], reviewer_count: 0 }, 'nobody', []],
    ['one', { reviewers: reviewers('Ana Ruiz'), reviewer_count: 1 }, 'Ana Ruiz AR', ['Ana Ruiz']],
    ['two', { reviewers: reviewers('Ana', 'Ben'), reviewer_count: 2 }, 'Ana and Ben AN BE', ['Ana', 'Ben']],
    ['more', { reviewers: reviewers('Ana', 'Ben'), reviewer_count: 9 }, 'Ana, Ben and 7 more AN BE +7', ['Ana', 'Ben']],
  ])('%s', (_, summary, text, titles) => {
    const { container } = render(Reviewers, { summary });
    expect(textOf(container)).toBe(text);
    expect([...container.querySelectorAll('[title]')].map((element) => element.getAttribute('title'))).toEqual(titles);
  });
});

it.each(Object.entries(messages.health))('a webhook that is %s says “%s” beside an icon', (health, word) => {
  const { container } = render(WebhookHealth, { health: health as keyof typeof messages.health });
  expect(textOf(container)).toBe(word);
  expect(container.querySelector('svg')).not.toBeNull();
});
