// What each event counts, as a table: an undo subtracts its decision exactly, and audits stay out of other figures.
import { describe, expect, it } from 'vitest';
import { CONFIDENCE_BINS, incrementsOf, type CountedEvent, type CountedItem } from './rollup.ts';

const ARRIVED = new Date('2026-03-01T10:00:30Z');
const EARLIER = new Date('2026-03-01T10:02:20Z');
const LATER = new Date('2026-03-01T10:05:10Z');
const ITEM: CountedItem = {
  createdAt: ARRIVED,
  confidence: 0.8,
  riskFlags: ['legal', 'odd', 'odd'],
  model: 'small',
  source: null,
  audit: false,
  hasSuggestion: true,
};
const queued = { at: ARRIVED, status: 'queued', action: null, memberId: null } as const;

const event = (given: Partial<CountedEvent>): CountedEvent => ({
  ...{ type: 'item.queued', at: LATER, memberId: null, version: 2, status: 'queued', action: null },
  ...{ item: ITEM, before: null, was: null, waitedFrom: null, first: false, delivery: null, resent: null },
  ...given,
});
const decided = (given: Partial<CountedEvent> = {}) =>
  event({ type: 'item.decided', memberId: 'anna', status: 'approved', action: 'edit', before: queued, ...given });

/** `measure key: n` with the remaining figures, and `@` for increments dated to the arrival. */
function said(of: CountedEvent): string[] {
  return incrementsOf(of)
    .map(({ measure, key, at, n, part, total }) => {
      const more = `${part === 0 ? '' : ` part ${part}`}${total === 0 ? '' : ` total ${total}`}`;
      return `${measure} ${key}: ${n}${more}${at === ARRIVED.getTime() ? ' @' : ''}`;
    })
    .sort();
}

describe('AN1: an arrival', () => {
  it.each(['queued', 'escalated'] as const)('an arrival that is %s is in its cohort and waits', (status) => {
    const arrival = event({ type: `item.${status}`, version: 1, status });
    expect(said(arrival)).toEqual([`arrived ${status}: 1 @`, `status ${status}: 1 @`, `waiting ${status}: 1 @`]);
  });

  it('an arrival that routing decided waits for nobody', () => {
    const arrival = event({ type: 'item.finalized', version: 1, status: 'auto_approved', action: 'auto_approve' });
    expect(said(arrival)).toEqual(['arrived auto_approved: 1 @', 'status auto_approved: 1 @']);
  });

  it('an arrival that is drawn for an audit arrives approved, and waits', () => {
    const arrival = event({
      type: 'item.finalized',
      version: 1,
      item: { ...ITEM, audit: true },
      action: 'auto_approve',
    });
    expect(said(arrival)).toEqual(['arrived auto_approved: 1 @', 'status queued: 1 @', 'waiting queued: 1 @']);
  });

  it('an approval that an older event log holds as two events counts the same', () => {
    const before = { at: ARRIVED, status: 'auto_approved', action: 'auto_approve', memberId: null } as const;
    expect(said(event({ item: { ...ITEM, audit: true }, at: ARRIVED, before }))).toEqual([
      'status auto_approved: -1 @',
      'status queued: 1 @',
      'waiting queued: 1 @',
    ]);
  });
});

describe('AN1: an item that leaves the queue undecided', () => {
  const escalated = { ...queued, status: 'escalated' } as const;

  it('withdrawn leaves at that time, and did not come where it had come', () => {
    const withdrawn = event({ type: 'item.withdrawn', status: 'withdrawn', before: escalated, waitedFrom: ARRIVED });
    expect(said(withdrawn)).toEqual([
      'left withdrawn: 1',
      'status escalated: -1 @',
      'status withdrawn: 1 @',
      'waiting escalated: -1',
      'withdrawn escalated: 1 @',
    ]);
  });

  it('ended by its deadline leaves at that time, as expired or, of an audit, as what it was', () => {
    const ended = (audit: boolean) =>
      said(
        event({
          ...{ type: 'item.expired', status: audit ? 'auto_approved' : 'expired', before: queued },
          item: { ...ITEM, audit },
        }),
      ).filter((line) => /^(expired|left|withdrawn) /.test(line));
    expect([ended(false), ended(true)]).toEqual([['expired expired: 1'], ['left auto_approved: 1']]);
  });
});

describe('AN4: an item without a suggestion', () => {
  it('is decided without judging or overriding one', () => {
    const item = { ...ITEM, hasSuggestion: false, riskFlags: [] };
    const counted = ['flag #: 1', 'model small: 1', 'reviewer anna: 1', 'source #: 1'];
    for (const action of ['edit', 'reject', 'respond'] as const) {
      const figures = said(decided({ item, action })).filter((line) => !/^(decide_time|status|waiting)/.test(line));
      expect(figures.map((line) => line.replace(/^(flag|source) .*?:/, '$1 #:'))).toEqual([
        `decided ${action}: 1 part 1`,
        ...counted,
      ]);
    }
  });

  it('an answer in words overrides a suggestion as a rejection does', () => {
    const without = (action: 'reject' | 'respond') =>
      said(decided({ action, status: 'rejected' })).map((line) => line.replace(`decided ${action}`, 'decided'));
    expect(without('respond')).toEqual(without('reject'));
  });
});

describe('AN2: a decision', () => {
  it('counts when it is made, under every key it belongs to', () => {
    expect(said(decided())).toEqual([
      'bin 16: 1 total 800000',
      'decide_time 289: 1',
      'decided edit: 1',
      'flag legal: 1 part 1',
      'flag odd: 1 part 1',
      'model small: 1 part 1',
      'reviewer anna: 1 part 1',
      'source unknown: 1 part 1',
      'status approved: 1 @',
      'status queued: -1 @',
      'waiting queued: -1',
    ]);
    expect(said(event({ type: 'item.finalized', version: 3, status: 'approved', action: 'edit' }))).toEqual([]);
  });

  it('a decision that is undone counts zero, in the minute in which it was made', () => {
    const before = { at: LATER, status: 'approved', action: 'edit', memberId: 'anna' } as const;
    const undone = event({ type: 'item.undone', at: new Date('2026-03-01T10:09:00Z'), memberId: 'anna', before });
    const sums = new Map<string, number>();
    for (const { measure, key, at, n, part, total } of [...incrementsOf(decided()), ...incrementsOf(undone)]) {
      for (const [name, value] of Object.entries({ n, part, total })) {
        const place = `${measure} ${key} ${at} ${name}`;
        sums.set(place, (sums.get(place) ?? 0) + value);
      }
    }
    expect([...sums].filter(([, sum]) => sum !== 0)).toEqual([]);
    expect(sums.size).toBeGreaterThan(30);
  });

  it('a decision that finalizes an item is in no rate, because it does not judge the suggestion (AN4)', () => {
    const ended = said(decided({ action: 'finalize', status: 'escalated_final' }));
    expect(ended.filter((line) => line.startsWith('bin'))).toEqual([]);
    expect(ended).toContain('decided finalize: 1');
  });
});

describe('AN4: bins and verdicts', () => {
  it('a verdict is in no rate and no bin of decisions', () => {
    const lines = said(decided({ item: { ...ITEM, audit: true }, status: 'auto_approved', action: 'approve' }));
    expect(lines.filter((line) => /^(bin|decided|flag|model|source) /.test(line))).toEqual([]);
    expect(lines).toEqual(expect.arrayContaining(['verdict approve: 1', 'verdict_bin 16: 1 part 1 total 800000']));
  });

  it('a bin begins at its lower end, however floating point represents that', () => {
    const binOf = (confidence: number) =>
      incrementsOf(decided({ item: { ...ITEM, confidence } })).find(({ measure }) => measure === 'bin')?.key;
    const edges = Array.from({ length: CONFIDENCE_BINS }, (_, bin) => bin / CONFIDENCE_BINS);
    expect(edges.map(binOf)).toEqual(edges.map((_, bin) => String(bin)));
    expect([binOf(0.1 + 0.2), binOf(1), binOf(0.299), binOf(0)]).toEqual(['6', '19', '5', '0']);
  });
});

describe('AN5: people and deliveries', () => {
  it('counts moves between people, but not the event that brings an item to them', () => {
    const escalated = event({ type: 'item.escalated', memberId: 'anna', status: 'escalated', before: queued });
    expect(said(escalated)).toContain('mover anna: 1');
    const reopened = event({ memberId: 'sam', before: { ...queued, status: 'rejected' } });
    expect(said(reopened)).toEqual(['status queued: 1 @', 'status rejected: -1 @', 'waiting queued: 1']);
  });

  it('times only the first claim', () => {
    const claimed = { type: 'item.claimed', memberId: 'anna', status: null } as const;
    expect(said(event({ ...claimed, first: true }))).toEqual(['claim_time 289: 1', 'claimer anna: 1']);
    expect(said(event(claimed))).toEqual(['claimer anna: 1']);
  });

  it('counts attempts by their outcome, and times the first success', () => {
    const delivery = (outcome: 'succeeded' | 'failed', first = true) =>
      said(
        event({ type: 'delivery.changed', item: null, status: null, first, delivery: { outcome, createdAt: ARRIVED } }),
      );
    expect(delivery('succeeded')).toEqual(['deliver_time 289: 1', 'delivery succeeded: 1']);
    expect(delivery('succeeded', false)).toEqual(['delivery succeeded: 1']);
    expect(delivery('failed')).toEqual(['delivery failed: 1']);
    expect(said(event({ type: 'delivery.changed', item: null, status: null }))).toEqual([]);
    const resent = { outcome: 'dead', endedAt: ARRIVED } as const;
    expect(said(event({ type: 'delivery.changed', status: null, resent }))).toEqual(['resent dead: 1 @']);
  });
});

describe('RV7: a revision', () => {
  const first = { at: EARLIER, status: 'approved', action: 'approve', memberId: 'anna' } as const;
  const revised = (given: Partial<CountedEvent> = {}) =>
    event({
      ...{ type: 'decision.revised', memberId: 'sam', version: 4, status: 'rejected', action: 'reject' },
      ...{ before: first, was: { status: 'approved', action: 'approve' }, ...given },
    });

  it('replaces the action in the minute of the decision of a person, and counts for nobody', () => {
    expect(new Set(incrementsOf(revised()).map(({ at }) => at))).toEqual(
      new Set([ARRIVED.getTime(), EARLIER.getTime()]),
    );
    expect(said(revised())).toEqual(expect.arrayContaining(['decided approve: -1', 'decided reject: 1']));
    const measures = incrementsOf(revised()).map(({ measure }) => measure);
    expect(measures).not.toContain('reviewer');
    expect(measures).not.toContain('decide_time');
    expect(measures).not.toContain('waiting');
  });

  it('changes only the status where no person had decided, or where they undid it', () => {
    const moved = ['status auto_approved: -1 @', 'status rejected: 1 @'];
    const was = { status: 'auto_approved', action: 'auto_approve' } as const;
    expect(said(revised({ before: null, was }))).toEqual(moved);
    expect(said(revised({ before: { ...first, action: null }, was }))).toEqual(moved);
  });

  it('of an audited item replaces its verdict', () => {
    const audited = { ...ITEM, audit: true };
    const was = { status: 'auto_approved', action: 'approve' } as const;
    expect(said(revised({ item: audited, was }))).toEqual(
      expect.arrayContaining(['verdict approve: -1', 'verdict reject: 1', 'status auto_approved: -1 @']),
    );
  });

  it('RV4: of an audit that was ended without an answer makes no verdict, then or later', () => {
    const audited = { ...ITEM, audit: true };
    const before = { ...first, action: 'finalize' } as const;
    const moved = ['status escalated_final: -1 @', 'status rejected: 1 @'];
    for (const action of ['finalize', 'approve'] as const)
      expect(said(revised({ item: audited, before, was: { status: 'escalated_final', action } }))).toEqual(moved);
  });
});
