// Patterns: the verdicts of the platform's own expressions, in a number of steps that grows with the text only.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatternCompiler, PatternFault } from './pattern.ts';

const STATES = 20_000;
const compile = (pattern: string, states = STATES) => new PatternCompiler(states).compile(pattern);
const matches = (pattern: string, text: string): boolean => compile(pattern)(text, () => {});

/** The platform's expression; null for an invalid one. */
function platform(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern);
  } catch {
    return null;
  }
}

function stepsOf(pattern: string, text: string): number {
  let spent = 0;
  compile(pattern)(text, (steps) => (spent += steps));
  return spent;
}

describe('a pattern', () => {
  it.each<[string, string, boolean]>([
    ['', '', true],
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^a|c$', 'xc', true],
    ['^(?:\\+49|0)[1-9]\\d{2,4}$', '+49171', true],
    ['^(?<year>\\d{4})-\\d{2}$', '2026-11', true],
    ['^\\d$', '٣', false],
    ['^\\s$', '\u00a0', true],
    ['^.$', '😀', true],
    ['^.$', '\u2028', false],
    ['^\\p{Letter}+$', 'ñandú', true],
    ['^\\p{Script=Greek}$', 'α', true],
    ['\\bcat\\b', 'a cat.', true],
    ['\\Bat', 'cat', true],
    ['^\\u00e9\\x41\\u{1F600}$', 'éA😀', true],
    ['^\\ud83d\\ude00$', '😀', true],
    ['^a{2}$', 'aaa', false],
    ['^{.*}$', '{}', true],
    ['^{,}$', '{,}', true],
    ['^\\😀$', '😀', true],
    ['^[^]$', '\n', true],
    ['[]', 'a', false],
    // Punctuation may be escaped without need, as many generators do.
    ['^\\d{3}\\-\\d{4}\\"\\_$', '555-1234"_', true],
    ['^[\\w\\-\\.\\@\\"]+$', 'a-b.c@"', true],
    ['^[\\\\"]+$', '\\"', true],
    // As JavaScript reads them without a flag: a hyphen beside a class is a character.
    ['^[\\w-.]+$', 'a-b.c', true],
    ['^[\\d-\\/]+$', '1-2/3', true],
    ['^[+-\\d]+$', '+-1', true],
    ['^[\\p{L}-_]+$', 'ñ-_', true],
    ['^[^\\s-]$', '-', false],
    ['^[\\d-a-z]+$', 'a-z', true],
    ['^[\\d-a-z]$', 'b', false],
    ['^[\\d-\\d--z]$', 'b', true],
    ['^[\\d-\\x41-\\x43B-D]+$', '1-A-CD', true],
    ['^[\\d-\\ud83d\\ude00-a]+$', '1😀a', true],
    ['^(a*)*$', 'aaa', true],
    ['^(a|b){0}$', '', true],
  ])('/%s/ in %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });

  it.each<[string, RegExp]>([
    ['(a)\\1', /Backreferences/],
    ['(?<n>a)\\k<n>', /Backreferences/],
    ['a(?=b)', /Lookahead/],
    ['(?<!a)b', /Lookahead/],
    ['(?i:a)', /question mark/],
    ['(a', /not closed/],
    ['a)', /no opening/],
    ['[a', /not closed/],
    ['*a', /nothing/],
    ['^*', /nothing/],
    ['a**', /another/],
    ['a{3,2}', /out of order/],
    ['a{1001}', /1000/],
    ['a{,2}', /\{0,5\}/],
    ['(a{1000}){1000}', /too large/],
    ['(((((a{9}){9}){9}){9}){9}){9}', /too large/],
    // Without any state, so that only the visits of the tree end it.
    ['(?:(?:(?:(?:(?:){1000}){1000}){1000}){1000}){1000}', /too large/],
    ['(((((a{0}){1000}){1000}){1000}){1000}){1000}', /too large/],
    ['('.repeat(20_000), /deep/],
    ['[\\dz-a]', /class/],
    ['[\\d-a', /not closed/],
    ['[z-a]', /“\[z-a\]” is not a valid character class/],
    ['\\p{Nonsense}', /class/],
    ['\\a', /means nothing/],
    ['a\\', /backslash/],
    ['\\01', /followed by a digit/],
    ['[[:alpha:]]', /\[:alpha:\] is not a class/],
    ['[x[:digit:]]+', /\[:digit:\] is not a class/],
    ['(?<n>a)(?<n>b)', /Two groups have the name “n”/],
  ])('refuses /%s/', (pattern, message) => {
    expect(() => compile(pattern)).toThrow(PatternFault);
    expect(() => compile(pattern)).toThrow(message);
  });

  it('quotes the start of a long class that is refused', () => {
    expect(() => compile(`[${'z'.repeat(30_000)}-a]`)).toThrow(/^“\[z{79}…” is not a valid character class\.$/);
  });

  it('shares a limit on states with the other patterns of its schema', () => {
    const compiler = new PatternCompiler(100);
    compiler.compile('a{60}');
    expect(() => compiler.compile('b{60}')).toThrow(/too large/);
  });

  it('shares a limit on the time of all patterns of its schema, also of those that are refused', () => {
    const compiler = new PatternCompiler(100);
    compiler.compile('(?:){1000}');
    expect(() => compiler.compile('(?:(?:){1000}){1000}')).toThrow(/too large/);
    expect(() => compiler.compile('a')).toThrow(/too large/);
  });

  it('shares a limit on classes with the other patterns of its schema, where \\p counts as several', () => {
    const compiler = new PatternCompiler(10_000);
    const distinct = (count: number, of: string) =>
      Array.from({ length: count }, (_, index) => `[${of}${String.fromCodePoint(0x4e00 + index)}]`).join('');
    compiler.compile('\\p{Letter}'.repeat(500));
    compiler.compile(distinct(40, '\\p{Letter}'));
    expect(() => compiler.compile(distinct(10, '\\p{Number}'))).toThrow(/different classes/);
    expect(() => new PatternCompiler(10_000).compile(distinct(1001, 'a'))).toThrow(/different classes/);
  });

  const atom = fc.constantFrom('a', 'b', '.', '\\d', '[ab1]', '[^a]', '\\w', 'é', '\\b', '^', '$', '😀', '\\s');
  const patterns = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      atom,
      fc.tuple(tie('tree'), tie('tree')).map(([one, other]) => one + other),
      fc.tuple(tie('tree'), tie('tree')).map(([one, other]) => `(?:${one}|${other})`),
      fc
        .tuple(tie('tree'), fc.constantFrom('*', '+', '?', '{0,2}', '{2}', '{1,}', '*?', '{0}'))
        .map(([of, quantifier]) => `(${of})${quantifier}`),
    ),
  })).tree;

  it('by property: gives the verdict of the platform’s expression with the flag u', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', 'é', '😀', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(matches(pattern, text)).toBe(new RegExp(pattern, 'u').test(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('by property: gives the verdict of the platform’s expression without a flag for a class with hyphens', () => {
    const atoms = fc.constantFrom(
      '\\d',
      '\\W',
      '\\s',
      '-',
      '-',
      '\\-',
      'a',
      'z',
      '+',
      '.',
      '\\x41',
      '\\u0042',
      '\\/',
      '^',
    );
    const texts = fc.constantFrom(...' +,-./019ABCaqz{é');
    fc.assert(
      fc.property(fc.array(atoms, { maxLength: 8 }), texts, (of, text) => {
        const pattern = `^[${of.join('')}]$`;
        const expected = platform(pattern);
        fc.pre(expected !== null);
        expect(matches(pattern, text)).toBe(expected?.test(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['^(a+)+$', '^(a|a)*$', '(.*)*x', '^(a?){50}a{50}$', '(x+x+)+y'])(
    'takes twice the steps for twice the text: /%s/',
    (pattern) => {
      const [once, twice] = [stepsOf(pattern, `${'a'.repeat(1000)}!`), stepsOf(pattern, `${'a'.repeat(2000)}!`)];
      expect(twice / once).toBeLessThan(2.1);
    },
  );
});
