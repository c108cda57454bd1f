// The routing rules RT1 to RT5, by table and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldFlag } from '@countersign/shared/formats/fold-flag';
import { route, thresholdFault, type RoutingSettings } from './routing.ts';

const SETTINGS: RoutingSettings = {
  auto_threshold: 0.95,
  review_threshold: 0.7,
  below_review: 'reject',
  escalate_flags: ['escalate', 'legal', 'high_value'],
  stopped: false,
};

function routed(confidence: number, flags: string[] = [], settings: Partial<RoutingSettings> = {}) {
  return route({ confidence, risk_flags: flags }, { ...SETTINGS, ...settings });
}

const brief = (...args: Parameters<typeof routed>) => {
  const { rule, status } = routed(...args);
  return `${rule} ${status}`;
};

describe('RT1: an escalate flag', () => {
  it.each([
    ['as written', 'legal'],
    ['capitalised', 'Legal'],
    ['shouted', 'LEGAL'],
    ['with spaces around', '  legal '],
    ['with a tab and a line break around', '\tlegal\r\n'],
    ['with a no-break space around', '\u00a0legal\u00a0'],
    ['with an ideographic space before', '\u3000legal'],
    ['with a byte order mark before', '\ufefflegal'],
    ['of more than one word', 'HIGH_VALUE'],
  ])('%s escalates at any confidence', (_, flag) => {
    for (const confidence of [0, 0.7, 0.95, 1]) expect(brief(confidence, [flag])).toBe('RT1 escalated');
  });

  it.each([
    ['another word', 'lega'],
    ['a longer word', 'legal_hold'],
    ['a flag with a space inside', 'le gal'],
    ['a hyphen for an underscore', 'high-value'],
    ['nothing but spaces', '   '],
    ['an additional accent', 'légal'],
  ])('%s is another flag', (_, flag) => {
    expect(brief(0.99, [flag])).toBe('RT2 auto_approved');
  });

  it.each([
    ['é, composed by the project and decomposed by the item', 'caf\u00e9', 'cafe\u0301'],
    ['é, decomposed by the project and composed by the item', 'cafe\u0301', 'caf\u00e9'],
    ['É, decomposed, against é, composed', 'caf\u00e9', 'CAFE\u0301'],
    ['Å, as letter and as ångström sign', '\u00e5', '\u212b'],
    ['K, as letter and as kelvin sign', 'kyc', '\u212ayc'],
    ['two marks in either order', 'a\u0323\u0307', 'a\u0307\u0323'],
    ['Hangul, composed and in jamo', '\ud55c', '\u1112\u1161\u11ab'],
    ['İ, composed, against I with a dot above', '\u0130nceleme', 'I\u0307nceleme'],
    ['İ against its own small letter', '\u0130nceleme', 'i\u0307nceleme'],
    ['ß, whose capital is SS', 'stra\u00dfe', 'STRASSE'],
    ['both small forms of sigma', '\u03bf\u03b4\u03cc\u03c2', '\u03bf\u03b4\u03cc\u03c3'],
    ['Greek in capitals', '\u03bd\u03cc\u03bc\u03b9\u03bc\u03b1', '\u039d\u038c\u039c\u0399\u039c\u0391'],
  ])('an escalate flag matches in Unicode: %s', (_, project, item) => {
    expect(brief(1, [item], { escalate_flags: [project] })).toBe('RT1 escalated');
    expect(brief(1, [project], { escalate_flags: [item] })).toBe('RT1 escalated');
  });

  it('every cased letter folds the same as its upper and lower case forms', () => {
    const cased = /[\p{Changes_When_Uppercased}\p{Changes_When_Lowercased}]/u;
    const different = Array.from({ length: 0x1_f000 }, (_, code) => String.fromCodePoint(code)).filter((letter) => {
      if (!cased.test(letter)) return false;
      const spellings = [
        letter.toUpperCase(),
        letter.toLowerCase(),
        letter.normalize('NFD'),
        foldFlag(`x${letter}`).slice(1),
      ];
      return spellings.some((spelling) => foldFlag(`x${spelling}`) !== foldFlag(`x${letter}`));
    });
    expect(different).toEqual([]);
  });

  it('does not depend on the locale of the machine: I is the capital of i', () => {
    expect(brief(1, ['INSIDER'], { escalate_flags: ['insider'] })).toBe('RT1 escalated');
  });

  it('folds the flags of the project as well', () => {
    expect(brief(1, ['legal'], { escalate_flags: [' LEGAL '] })).toBe('RT1 escalated');
  });

  it('lists every flag that matched, spelled as submitted, in the order submitted', () => {
    const flags = ['new_customer', ' Legal', 'high_value', 'LEGAL', 'other'];
    expect(routed(0.99, flags).matched_flags).toEqual([' Legal', 'high_value', 'LEGAL']);
  });

  it('escalates nothing without escalate flags', () => {
    expect(brief(0.99, ['legal'], { escalate_flags: [] })).toBe('RT2 auto_approved');
  });

  it('is never confused with a property of an object', () => {
    for (const flag of ['constructor', '__proto__', 'toString']) expect(routed(0.99, [flag]).rule).toBe('RT2');
  });
});

describe('RT2 to RT4: the thresholds, compared with the confidence as submitted', () => {
  it.each([
    [1, 'RT2 auto_approved'],
    [0.950_000_000_000_000_1, 'RT2 auto_approved'],
    [0.95, 'RT2 auto_approved'],
    [0.949_999_999_999_999_9, 'RT3 queued'],
    [0.8, 'RT3 queued'],
    [0.7, 'RT3 queued'],
    [0.699_999_999_999_999_9, 'RT4 rejected'],
    [Number.MIN_VALUE, 'RT4 rejected'],
    [0, 'RT4 rejected'],
    [-0, 'RT4 rejected'],
  ])('routes the confidence %f by %s', (confidence, expected) => {
    expect(brief(confidence)).toBe(expected);
  });

  it('does not round a sum that is slightly below its decimal', () => {
    expect(brief(0.1 + 0.2, [], { review_threshold: 0.3, auto_threshold: 0.300_000_000_000_000_04 })).toBe(
      'RT2 auto_approved',
    );
    expect(brief(0.3, [], { review_threshold: 0.3, auto_threshold: 0.300_000_000_000_000_04 })).toBe('RT3 queued');
  });

  it.each([
    ['reject', 'RT4 rejected'],
    ['queue', 'RT4 queued'],
    ['escalate', 'RT4 escalated'],
  ] as const)('RT4: policy %s → %s', (below_review, expected) => {
    expect(brief(0.1, [], { below_review })).toBe(expected);
    expect(routed(0.1, ['other'], { below_review }).matched_flags).toEqual([]);
  });

  it.each([
    [0.5, 0.5, 'RT2 auto_approved'],
    [0.499_999_999_999_999_94, 0.5, 'RT4 rejected'],
    [0, 0, 'RT2 auto_approved'],
    [1, 1, 'RT2 auto_approved'],
    [0.999_999_999_999_999_9, 1, 'RT4 rejected'],
  ])('equal thresholds queue nothing: %f against %f → %s', (confidence, both, expected) => {
    expect(brief(confidence, [], { auto_threshold: both, review_threshold: both })).toBe(expected);
  });

  it('queues everything below certainty with the thresholds 0 and 1', () => {
    const open = { auto_threshold: 1, review_threshold: 0 };
    expect(brief(0, [], open)).toBe('RT3 queued');
    expect(brief(0.999_999_999_999_999_9, [], open)).toBe('RT3 queued');
    expect(brief(1, [], open)).toBe('RT2 auto_approved');
  });
});

describe('RT5: the thresholds', () => {
  it.each([
    [0, 0],
    [0, 1],
    [1, 1],
    [0.7, 0.95],
    [0.7, 0.7],
  ])('review %f, automatic %f: allowed', (review_threshold, auto_threshold) => {
    expect(thresholdFault({ review_threshold, auto_threshold })).toBeNull();
  });

  it.each([
    [0.7, 0.699_999_999_999_999_9, /above/],
    [1, 0, /above/],
    [-Number.MIN_VALUE, 0.5, /between 0 and 1/],
    [0.5, 1.000_000_000_000_000_2, /between 0 and 1/],
    [2, 3, /between 0 and 1/],
    [Number.NaN, 0.5, /between 0 and 1/],
    [0.5, Number.NaN, /between 0 and 1/],
    [0.5, Infinity, /between 0 and 1/],
  ])('review %f, automatic %f: refused', (review_threshold, auto_threshold, says) => {
    expect(thresholdFault({ review_threshold, auto_threshold })).toMatch(says);
  });
});

const confidence = fc.double({ min: 0, max: 1, noNaN: true });
const flag = fc.oneof(
  fc.constantFrom('legal', 'Legal', ' LEGAL', 'escalate', 'other', 'vip', ''),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const settings = fc
  .record({
    one: confidence,
    other: confidence,
    below_review: fc.constantFrom('reject' as const, 'queue' as const, 'escalate' as const),
    escalate_flags: fc.array(flag, { maxLength: 4 }),
  })
  .map(({ one, other, ...rest }) => ({
    ...rest,
    review_threshold: Math.min(one, other),
    auto_threshold: Math.max(one, other),
    stopped: false,
  }));
const flags = fc.array(flag, { maxLength: 4 });

/** How automatic a rule is: a rising confidence must never lower it. */
const AUTOMATIC = { RT7: 0, RT4: 0, RT3: 1, RT8: 1, RT2: 2, RT1: 3 } as const;

describe('routing, by property', () => {
  it('exactly one of RT1 to RT4 applies, and the result names it', () => {
    fc.assert(
      fc.property(confidence, flags, settings, (value, risk_flags, given) => {
        const folded = new Set(given.escalate_flags.map(foldFlag));
        const escalates = risk_flags.some((each) => folded.has(foldFlag(each)));
        const applies = {
          RT1: escalates,
          RT2: !escalates && value >= given.auto_threshold,
          RT3: !escalates && value < given.auto_threshold && value >= given.review_threshold,
          RT4: !escalates && value < given.review_threshold,
          RT7: false,
          RT8: false,
        };
        const { rule } = route({ confidence: value, risk_flags }, given);
        expect(Object.values(applies).filter(Boolean)).toHaveLength(1);
        expect(applies[rule]).toBe(true);
      }),
    );
  });

  it('RT8: a suggestion that only a person may decide on changes what RT2 would approve, and nothing else', () => {
    const anySettings = fc.tuple(settings, fc.boolean()).map(([given, stopped]) => ({ ...given, stopped }));
    fc.assert(
      fc.property(confidence, flags, anySettings, (value, risk_flags, given) => {
        const item = { confidence: value, risk_flags };
        const approved = route(item, { ...given, stopped: false }).rule === 'RT2';
        const queued = { status: 'queued', rule: 'RT8', matched_flags: [] };
        expect(route({ ...item, needs_person: true }, given)).toEqual(approved ? queued : route(item, given));
      }),
    );
  });

  it('RT2, RT3: more confidence never makes an item less automatic', () => {
    fc.assert(
      fc.property(confidence, confidence, flags, settings, (one, other, risk_flags, given) => {
        const lower = route({ confidence: Math.min(one, other), risk_flags }, given);
        const higher = route({ confidence: Math.max(one, other), risk_flags }, given);
        expect(AUTOMATIC[higher.rule]).toBeGreaterThanOrEqual(AUTOMATIC[lower.rule]);
      }),
    );
  });

  it('RT1: an escalate flag has priority at any confidence, position, spelling, and beside any other flags', () => {
    const spelling = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => ` ${text.normalize('NFD')}\t`,
    );
    const escalating = fc.tuple(flag, spelling, flags, flags).map(([wanted, spell, before, after]) => ({
      wanted,
      risk_flags: [...before, spell(wanted), ...after],
    }));
    fc.assert(
      fc.property(confidence, escalating, settings, (value, { wanted, risk_flags }, given) => {
        const escalate_flags = [...given.escalate_flags, wanted];
        expect(route({ confidence: value, risk_flags }, { ...given, escalate_flags })).toMatchObject({
          status: 'escalated',
          rule: 'RT1',
        });
      }),
    );
  });

  it('folding is idempotent, and the same for NFC, NFD and surrounding spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const folded = foldFlag(text);
        expect(foldFlag(folded)).toBe(folded);
        expect(foldFlag(text.normalize('NFD'))).toBe(folded);
        expect(foldFlag(text.normalize('NFC'))).toBe(folded);
        expect(foldFlag(` ${text}\u2003`)).toBe(folded);
      }),
    );
  });
});
