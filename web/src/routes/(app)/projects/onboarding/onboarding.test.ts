// Onboarding steps complete by the project's events, not by clicks.
import type { Onboarding } from '@countersign/shared/schemas/onboarding';
import { describe, expect, it } from 'vitest';
import { activityOf, hostOf, isComplete, STEPS, stepsOf } from './onboarding.ts';

const at = (second: number) => `2026-03-01T14:01:${String(second).padStart(2, '0')}.000Z`;
const NOTHING_GONE = { item: false, decision: false, webhook: false };
const NOTHING: Onboarding = {
  created_at: at(1),
  key: null,
  item: null,
  decision: null,
  webhook: null,
  gone: NOTHING_GONE,
};
const key = { at: at(2), name: 'first key', last4: 'a0Rk' };
const item = { at: at(3), preview: 'How many?', status: 'queued' as const };
const decision = { at: at(4), action: 'approve' as const, name: 'Ana' };
const webhook = { at: at(5), http_status: 200 };

const states = (project: unknown, run: Onboarding | null) => {
  const steps = stepsOf(project, run);
  return STEPS.map((step) => steps[step]).join(' ');
};

describe('the steps', () => {
  it.each<[string, unknown, Partial<Onboarding> | null, string]>([
    ['no project', null, null, 'open later later later'],
    ['a project before the first answer', {}, null, 'done open later later'],
    ['a key is no step', {}, { key }, 'done open later later'],
    ['an item', {}, { key, item }, 'done done open later'],
    ['a decision', {}, { key, item, decision }, 'done done done open'],
    ['all', {}, { key, item, decision, webhook }, 'done done done done'],
    [
      'data that was deleted since (KE4)',
      {},
      { gone: { ...NOTHING_GONE, item: true, webhook: true } },
      'done done open done',
    ],
    // No webhook delivers an item that the rules decided, but a test event may come in any order.
    ['a webhook before a decision', {}, { item, webhook }, 'done done open done'],
  ])('%s', (_, project, run, expected) => {
    expect(states(project, run && { ...NOTHING, ...run })).toBe(expected);
  });

  it('are complete with the last one', () => {
    expect(isComplete({ ...NOTHING, item, decision })).toBe(false);
    expect(isComplete({ ...NOTHING, item, decision, webhook })).toBe(true);
    expect(isComplete(null)).toBe(false);
  });
});

describe('the activity', () => {
  it('is listed newest first, followed by pending events in their order', () => {
    const { happened, toCome } = activityOf({ ...NOTHING, key, item });
    expect(happened.map(({ kind }) => kind)).toEqual(['item', 'key', 'project']);
    expect(toCome).toEqual(['decision', 'webhook']);
  });

  it('is no longer pending when it happened and was deleted since (KE4)', () => {
    expect(activityOf({ ...NOTHING, key, gone: { ...NOTHING_GONE, item: true } }).toCome).toEqual([
      'decision',
      'webhook',
    ]);
  });

  it('of one moment lists the later kind above', () => {
    const { happened } = activityOf({ ...NOTHING, key: { ...key, at: NOTHING.created_at } });
    expect(happened.map(({ kind }) => kind)).toEqual(['key', 'project']);
  });
});

it('names a webhook by its host', () => {
  expect(hostOf('https://hooks.example.com:8443/a?b')).toBe('hooks.example.com:8443');
  expect(hostOf('nonsense')).toBe('nonsense');
});
