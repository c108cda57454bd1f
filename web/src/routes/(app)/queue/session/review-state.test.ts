// The rules of the review session: what the user can do with the open item, and when.
import { describe, expect, it } from 'vitest';
import type { Entry } from '#lib/live/queue/queue-model.ts';
import { PLAIN_ITEM } from '@countersign/shared/plain-item';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { ABILITIES } from '@countersign/shared/enums';
import { nextRow, stepRow } from '../list/row-steps.ts';
import { leaseEnds, shouldRenew, stageOf, type Grant } from './review-state.ts';

const NOW = 1_000_000;
const at = (ms: number) => new Date(ms).toISOString();
const item = (change: Partial<ItemDetail> = {}): ItemDetail => ({
  ...PLAIN_ITEM,
  id: 'i1',
  project_id: 'p1',
  status: 'queued',
  preview: 'a question',
  confidence: 0.8,
  risk_flags: [],
  model: null,
  source: null,
  created_at: at(0),
  due_at: at(3_600_000),
  version: 1,
  claim: null,
  input: 'q',
  suggestion: 'a',
  metadata: null,
  routing: { rule: 'RT3', auto_threshold: 0.95, review_threshold: 0.7, matched_flags: [], settings_version: 1 },
  decision: null,
  decided_by: null,
  earlier_decisions: [],
  emptied_at: null,
  answer_schema: null,
  suggestion_faults: null,
  audited: false,
  undo_until: null,
  expired_at: null,
  abilities: Object.fromEntries(ABILITIES.map((ability) => [ability, true])) as ItemDetail['abilities'],
  ...change,
});
const grant: Grant = { fence: 3, expiresAt: NOW + 120_000, leaseMs: 120_000 };
const base = { detail: item(), grant, me: 'me', supervises: false, now: NOW };
const by = (user_id: string) => ({ user_id, name: user_id, expires_at: at(NOW + 60_000) });

describe('stageOf', () => {
  it.each([
    ['held here', { detail: item({ claim: by('me') }) }, 'mine'],
    ['the lease ran out', { now: NOW + 120_000 }, 'ended'],
    ['nobody holds it', { grant: null }, 'free'],
    ['held by me in another tab', { grant: null, detail: item({ claim: by('me') }) }, 'free'],
    ['someone else holds it, even if this tab has a grant (I4)', { detail: item({ claim: by('ana') }) }, 'held'],
    ['escalated, for a reviewer (PM)', { detail: item({ status: 'escalated' }), grant: null }, 'barred'],
    ['escalated, for a supervisor (PM)', { detail: item({ status: 'escalated' }), supervises: true }, 'mine'],
    ['decided (LC1)', { detail: item({ status: 'approved' }) }, 'decided'],
  ] as const)('%s', (_, change, stage) => {
    expect(stageOf({ ...base, ...change })).toBe(stage);
  });
});

describe('lease', () => {
  it('warns one minute before the end, or at half of a short lease', () => {
    expect(leaseEnds(grant, NOW + 59_000)).toBe(false);
    expect(leaseEnds(grant, NOW + 60_000)).toBe(true);
    const short = { ...grant, leaseMs: 60_000, expiresAt: NOW + 60_000 };
    expect(leaseEnds(short, NOW)).toBe(false);
    expect(leaseEnds(short, NOW + 30_000)).toBe(true);
  });

  it('renews after a third of the lease, while someone is there to see it', () => {
    const there = { now: NOW + 40_000, visible: true, inputAt: NOW };
    expect(shouldRenew(grant, there)).toBe(true);
    expect(shouldRenew(grant, { ...there, now: NOW + 39_000 })).toBe(false);
    expect(shouldRenew(grant, { ...there, visible: false })).toBe(false);
    expect(shouldRenew(grant, { ...there, inputAt: NOW - 21_000 })).toBe(false);
    expect(shouldRenew(grant, { ...there, now: NOW + 120_000, inputAt: NOW + 119_000 })).toBe(false);
  });
});

describe('rows', () => {
  const entry = (id: string, change: Partial<Entry> = {}): Entry => ({
    id,
    row: item({ id }),
    removal: null,
    saving: false,
    ...change,
  });
  const removal = { what: 'approved', by: 'Ana', mine: false, at: at(0), undoUntil: null } as const;
  const entries = [
    entry('a'),
    entry('b', { removal }),
    entry('c', { row: item({ id: 'c', claim: by('ana') }) }),
    entry('d'),
  ];
  const free = (row: { claim: unknown }) => row.claim === null;

  it('the next row is below, then from the top; never a tombstone or one that another user holds', () => {
    expect(nextRow(entries, 'a', free)?.id).toBe('d');
    expect(nextRow(entries, 'd', free)?.id).toBe('a');
    expect(nextRow(entries, null, free)?.id).toBe('a');
    expect(nextRow([], 'a', free)).toBeNull();
    expect(nextRow([entry('a')], 'a', free)).toBeNull();
  });

  it('steps stop at the ends', () => {
    expect([stepRow(entries, 'a', 1), stepRow(entries, 'a', -1), stepRow(entries, 'd', 1)]).toEqual(['b', 'a', 'd']);
    expect([stepRow(entries, null, 1), stepRow(entries, 'gone', -1), stepRow([], 'a', 1)]).toEqual(['a', 'a', null]);
  });
});
