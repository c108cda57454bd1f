// FL2, FL3: who is stuck, who is idle, and who is only away.
import type { Holding, TeamMember } from '@countersign/shared/schemas/team';
import { describe, expect, it } from 'vitest';
import { byUrgency, memberStatusOf, type MemberStatus } from './member-status.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const LIMITS = { stuck_after_seconds: 600, idle_after_seconds: 300 };
const before = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
const held = (seconds: number): Holding => ({
  item_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
  preview: 'Refund',
  title: null,
  status: 'queued',
  since: before(seconds),
  expires_at: before(-60),
});
const person = (holding: Holding[], decided: number | null, name = 'Ana'): TeamMember => ({
  user_id: name,
  name,
  role: 'reviewer',
  holding,
  last_decided_at: decided === null ? null : before(decided),
  decided_last_hour: 0,
  median_seconds: null,
});

describe('FL2, FL3: member status', () => {
  it.each<[string, { held?: Holding[]; decided?: number; away?: true }, MemberStatus]>([
    ['holds an item for the limit', { held: [held(600)], decided: 10 }, 'holding'],
    ['holds an item for longer', { held: [held(601)], decided: 10 }, 'stuck'],
    ['holds one of several for longer', { held: [held(5), held(700)], decided: 10 }, 'stuck'],
    ['holds one for long and is away', { held: [held(700)], away: true }, 'stuck'],
    ['holds one and is away', { held: [held(5)], away: true }, 'holding'],
    ['decided just now', { decided: 10 }, 'working'],
    ['decided just within the limit', { decided: 299 }, 'working'],
    ['has decided nothing for as long as the limit', { decided: 300 }, 'idle'],
    ['is there and has decided nothing in a day', {}, 'idle'],
    ['decided just now and left', { decided: 10, away: true }, 'away'],
    ['is not there', { away: true }, 'away'],
  ])('of a person who %s', (_, { held: holding = [], decided = null, away = false }, expected) => {
    expect(memberStatusOf(person(holding, decided), LIMITS, { away, now: NOW })).toBe(expected);
  });

  it('sorts people who may need help first, and never by speed', () => {
    const members = (['away', 'working', 'idle', 'stuck', 'working', 'holding'] as const).map((memberStatus, n) => ({
      person: person([], n, `Person ${n}`),
      memberStatus,
    }));
    expect(byUrgency(members).map(({ person: { name } }) => name.at(-1))).toEqual(['3', '5', '2', '1', '4', '0']);
  });
});
