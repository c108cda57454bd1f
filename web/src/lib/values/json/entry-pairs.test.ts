// Pairs the entries of an edited list as the plain rule does, in a number of steps that grows with the list.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawJson, type Json } from '@countersign/shared/json/json';
import { entryPairs } from './entry-pairs.ts';
import { keepSpelling } from './keep-spelling.ts';
import { kindOf, parseJson, printJson } from './lossless.ts';

/** The rule, by searching: the same entry in place, else moved, else the next of its kind that is left. */
function plainRule(before: readonly Json[], edited: readonly Json[]): (number | undefined)[] {
  const left = before.map((_, at) => at);
  const take = (fits: (at: number) => boolean): number | undefined => {
    const found = left.findIndex(fits);
    return found < 0 ? undefined : left.splice(found, 1)[0];
  };
  const isSame = (at: number, value: Json) => printJson(before[at] ?? null, 0) === printJson(value, 0);
  const isLike = (at: number, value: Json) => kindOf(before[at] ?? null) === kindOf(value);
  const inPlace = edited.map((value, at) => take((one) => one === at && isSame(one, value)));
  const moved = edited.map((value, at) => inPlace[at] ?? take((one) => isSame(one, value)));
  const isSameLength = before.length === edited.length;
  return edited.map(
    (value, at) =>
      moved[at] ??
      take((one) => one === at && (isSameLength || isLike(one, value))) ??
      take((one) => isLike(one, value)),
  );
}

describe('entryPairs', () => {
  const entry = fc.constantFrom(
    '1',
    '1.0',
    '2',
    '3',
    '"a"',
    '"1"',
    'null',
    'true',
    '[1]',
    '{"a":1,"b":2}',
    '{"b":2,"a":1}',
  );
  const list = fc.array(entry, { maxLength: 12 }).map((entries) => parseJson(`[${entries.join()}]`) as Json[]);

  it('by property: pairs as the plain rule', () => {
    fc.assert(
      fc.property(list, list, (before, edited) => {
        expect(entryPairs(before, edited)).toEqual(plainRule(before, edited));
      }),
      { numRuns: 2000 },
    );
  });

  /** A number that counts how often it is read. */
  class Counted extends RawJson {
    static reads = 0;
    readonly #spelled: string;
    constructor(spelled: string) {
      super(spelled);
      this.#spelled = spelled;
      Object.defineProperty(this, 'text', { get: () => this.#read() });
    }
    #read(): string {
      Counted.reads += 1;
      return this.#spelled;
    }
  }
  const counted = (spelled: string) => new Counted(spelled) as unknown as Json;

  const COUNT = 300;
  const numbered = (entryOf: (at: number) => string) => Array.from({ length: COUNT }, (_, at) => entryOf(at));

  it.each<[string, string[], Json[]]>([
    ['numbers, all changed', numbered((at) => `${at}.0`), numbered((at) => `${at}.5`).map(counted)],
    [
      'numbers in reverse',
      numbered((at) => `${at}.0`),
      numbered((at) => `${at}.0`)
        .reverse()
        .map(counted),
    ],
    [
      'rows with one changed member',
      numbered((at) => `{"a":${at}.0,"b":1}`),
      numbered((at) => `${at}.5`).map((spelled) => ({ a: counted(spelled), b: 1 })),
    ],
    [
      'rows of which one was inserted first',
      numbered((at) => `{"a":${at}.0,"b":1}`),
      ['0.5', ...numbered((at) => `${at}.0`)].map((spelled) => ({ a: counted(spelled), b: 1 })),
    ],
  ])('reads each value a few times only: %s', (_, before, edited) => {
    Counted.reads = 0;
    keepSpelling(`[${before.join()}]`, edited);
    expect(Counted.reads).toBeLessThanOrEqual(10 * edited.length);
  });
});
