// Compiles the regular expressions of schemas, as ECMAScript with the flag u reads them, to automata of limited size.
import {
  type Assertion,
  type CodePointTest,
  LAST_ASCII,
  type Matcher,
  matcherOf,
  NONE,
  type State,
} from './automaton.ts';
import { shorten } from './shorten.ts';

/** Why a pattern is refused, as a sentence. */
export class PatternFault extends Error {}

type Tree =
  | { kind: 'one'; test: CodePointTest }
  | { kind: 'assert'; what: Assertion }
  | { kind: 'sequence' | 'choice'; of: Tree[] }
  | { kind: 'repeat'; of: Tree; least: number; most: number };

const MAX_REPEATS = 1000;
const MAX_GROUPS_DEEP = 100;
/**
 * Visits of the tree per state of the automaton. Most parts add a state when they are visited; an empty group adds none, and
 * nested repetitions of one multiply.
 */
const VISITS_PER_STATE = 20;
/** Different classes of one schema. The platform takes up to 500 µs to compile a `\p{…}`, so that each counts as several. */
const MAX_CLASSES = 1000;
const CLASSES_OF_PROPERTY = 20;
const PROPERTY_ESCAPE = /\\p\{/gi;

/** Compiles the patterns of one schema, whose automata together have at most `states` states. */
export class PatternCompiler {
  #statesLeft: number;
  #visitsLeft: number;
  #classesLeft = MAX_CLASSES;
  readonly #tests = new Map<string, CodePointTest>();

  constructor(states: number) {
    this.#statesLeft = states;
    this.#visitsLeft = states * VISITS_PER_STATE;
  }

  /** Errors: {@link PatternFault}. */
  compile(pattern: string): Matcher {
    const tree = new Parser(pattern, (source) => this.#testOf(source)).parse();
    const builder = new Builder({ states: this.#statesLeft, visits: this.#visitsLeft });
    const accept = builder.add({ test: null, assert: null, out: NONE, other: NONE });
    try {
      const start = builder.build(tree, accept);
      this.#statesLeft -= builder.states.length;
      return matcherOf(builder.states, start, isAnchored(tree));
    } finally {
      // Also those of a pattern that is refused took their time.
      this.#visitsLeft -= builder.visits;
    }
  }

  /** The test of a class, such as `[a-z]`, `\p{Letter}` or `.`: the platform's own, of one character. */
  #testOf(source: string): CodePointTest {
    const known = this.#tests.get(source);
    if (known) return known;
    this.#classesLeft -= 1 + CLASSES_OF_PROPERTY * (source.match(PROPERTY_ESCAPE)?.length ?? 0);
    if (this.#classesLeft < 0)
      throw new PatternFault(
        `The patterns of a schema contain at most ${MAX_CLASSES} different classes; each \\p{…} counts as ${CLASSES_OF_PROPERTY}.`,
      );
    const expression = classExpression(source);
    const ascii = new Int8Array(LAST_ASCII + 1);
    const ask = (code: number) => expression.test(String.fromCodePoint(code));
    const test = (code: number): boolean => {
      if (code > LAST_ASCII) return ask(code);
      if (ascii[code] === 0) ascii[code] = ask(code) ? 1 : -1;
      return ascii[code] === 1;
    };
    this.#tests.set(source, test);
    return test;
  }
}

function classExpression(source: string): RegExp {
  try {
    return new RegExp(`^${source}$`, 'u');
  } catch {
    throw new PatternFault(`“${shorten(source)}” is not a valid character class.`);
  }
}

const LITERAL_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', 0: '\0' };
const CLASS_ESCAPE = /^\\(?:[dDwWsS]|[pP]\{[^}]*\})/;
const CODE_ESCAPE = /^\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}|c([a-zA-Z]))/;
const SURROGATES = /^\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/;
const COUNTS = /^\{(\d+)(?:(,)(\d*))?\}/;
/** A class, up to its end. */
const CLASS = /^\[(?:[^\]\\]|\\[^])*\]/;
const CLASS_START = /^\[\^?/;
const CLASS_ATOM =
  /\\(?:[pP]\{[\w=]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|x[\da-fA-F]{2}|c[a-zA-Z]|[^])|[^\\]/
    .source;
/** What is in a class, from left to right: a range with its ends, or one character. */
const CLASS_PART = new RegExp(`(${CLASS_ATOM})-(${CLASS_ATOM})|${CLASS_ATOM}`, 'gu');
/** A class as POSIX writes it, inside of another: `[[:alpha:]` is a class of brackets, colons and letters here. */
const POSIX_CLASS = /.\[:(\w+):\]$/;
const NAMED_GROUP = /^\?<([\p{ID_Start}$_][\p{ID_Continue}$]*)>/u;
/** Punctuation that the platform takes no backslash before. */
const PLAIN_PUNCTUATION = /[^a-zA-Z0-9\s^$\\.*+?()[\]{}|/-]/;

/**
 * Reads a pattern by recursion. Beyond the flag u it takes a literal `{`, `}` and `]`, a `-` beside a class such as `\d`, and
 * escapes of any punctuation.
 */
class Parser {
  readonly #text: string;
  readonly #testOf: (source: string) => CodePointTest;
  #at = 0;
  #groups = 0;
  readonly #names = new Set<string>();

  constructor(text: string, testOf: (source: string) => CodePointTest) {
    this.#text = text;
    this.#testOf = testOf;
  }

  parse(): Tree {
    const tree = this.#choice();
    if (this.#at < this.#text.length) throw new PatternFault('A closing bracket has no opening one.');
    return tree;
  }

  #choice(): Tree {
    const of = [this.#sequence()];
    while (this.#take('|')) of.push(this.#sequence());
    return of.length === 1 ? (of[0] as Tree) : { kind: 'choice', of };
  }

  #sequence(): Tree {
    const of: Tree[] = [];
    while (this.#at < this.#text.length && this.#text[this.#at] !== '|' && this.#text[this.#at] !== ')')
      of.push(this.#term());
    return { kind: 'sequence', of };
  }

  #term(): Tree {
    const what = this.#assertion();
    if (what === null) return this.#repeated(this.#atom());
    if (this.#counts() !== null) throw new PatternFault('A quantifier follows nothing that it could repeat.');
    return { kind: 'assert', what };
  }

  #assertion(): Assertion | null {
    if (this.#take('^')) return 'start';
    if (this.#take('$')) return 'end';
    if (this.#take('\\b')) return 'word';
    return this.#take('\\B') ? 'not word' : null;
  }

  #repeated(of: Tree): Tree {
    const counts = this.#counts();
    if (counts === null) return of;
    this.#take('?');
    const { least, most } = counts;
    if (least > most) throw new PatternFault('The numbers of a quantifier are out of order.');
    if (least > MAX_REPEATS || (most > MAX_REPEATS && most !== Infinity))
      throw new PatternFault(`A quantifier repeats at most ${MAX_REPEATS} times.`);
    if (this.#counts() !== null) throw new PatternFault('A quantifier follows another one.');
    return { kind: 'repeat', of, least, most };
  }

  #counts(): { least: number; most: number } | null {
    if (this.#take('*')) return { least: 0, most: Infinity };
    if (this.#take('+')) return { least: 1, most: Infinity };
    if (this.#take('?')) return { least: 0, most: 1 };
    const counts = this.#match(COUNTS);
    if (counts === null) return null;
    const least = Number(counts[1]);
    return { least, most: counts[2] === undefined ? least : counts[3] ? Number(counts[3]) : Infinity };
  }

  #atom(): Tree {
    if (this.#take('(')) return this.#group();
    if (this.#take('.')) return { kind: 'one', test: this.#testOf('.') };
    const found = this.#match(CLASS) ?? this.#match(CLASS_ESCAPE);
    const posix = found && POSIX_CLASS.exec(found[0]);
    if (posix)
      throw new PatternFault(`[:${posix[1]}:] is not a class here. Use \\p{…}, \\d, \\w, \\s or a range such as a-z.`);
    if (found) return { kind: 'one', test: this.#testOf(strictClass(found[0])) };
    if (this.#text[this.#at] === '[') throw new PatternFault('A [ is not closed.');
    if (this.#text[this.#at] === '\\') return literal(this.#escaped());
    if ('*+?'.includes(this.#text[this.#at] ?? ''))
      throw new PatternFault('A quantifier follows nothing that it could repeat.');
    if (this.#match(/^\{,\d+\}/)) throw new PatternFault('A quantifier starts with a number: write {0,5} for {,5}.');
    const code = this.#text.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return literal(code);
  }

  #group(): Tree {
    if (this.#take('?:')) return this.#closed();
    const name = this.#match(NAMED_GROUP)?.[1];
    if (name !== undefined) return this.#named(name);
    if (this.#match(/^\?<?[=!]/)) throw new PatternFault('Lookahead and lookbehind are not supported.');
    if (this.#take('?')) throw new PatternFault('Only (?:…) and (?<name>…) may start with a question mark.');
    return this.#closed();
  }

  #named(name: string): Tree {
    if (this.#names.has(name)) throw new PatternFault(`Two groups have the name “${shorten(name)}”. Rename one.`);
    this.#names.add(name);
    return this.#closed();
  }

  #closed(): Tree {
    this.#groups += 1;
    if (this.#groups > MAX_GROUPS_DEEP) throw new PatternFault(`Groups nest at most ${MAX_GROUPS_DEEP} deep.`);
    const tree = this.#choice();
    if (!this.#take(')')) throw new PatternFault('A group is not closed.');
    this.#groups -= 1;
    return tree;
  }

  /** The code point of an escaped character. */
  #escaped(): number {
    const pair = this.#match(SURROGATES);
    if (pair) return (JSON.parse(`"${pair[0]}"`) as string).codePointAt(0) ?? 0;
    const found = this.#match(CODE_ESCAPE);
    if (found) return codeOf(found);
    const code = this.#text.codePointAt(this.#at + 1);
    if (code === undefined) throw new PatternFault('A backslash ends the pattern.');
    const letter = String.fromCodePoint(code);
    if (this.#match(/^\\0\d/)) throw new PatternFault('\\0 is followed by a digit. Write \\x00 and then the digit.');
    if (/[1-9k]/.test(letter)) throw new PatternFault('Backreferences are not supported.');
    const meant = LITERAL_ESCAPES[letter] ?? (/[\w\s]/.test(letter) && letter !== '_' ? null : letter);
    if (meant === null) throw new PatternFault(`\\${letter} means nothing. Write the character itself.`);
    this.#at += 1 + letter.length;
    return meant.codePointAt(0) ?? 0;
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    const found = expression.exec(this.#text.slice(this.#at));
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

/** The class as the platform takes it. */
const strictClass = (source: string): string => {
  const escaped = source.replaceAll(/\\([^])/g, strictEscape);
  const start = CLASS_START.exec(escaped)?.[0];
  if (start === undefined) return escaped;
  return `${start}${escaped.slice(start.length, -1).replaceAll(CLASS_PART, strictRange)}]`;
};

/** As without the flag u: with `\d` at one end there is no range, so that its hyphen is a character, as any outside of one. */
const strictRange = (part: string, from?: string, to?: string): string => {
  if (from === undefined || to === undefined) return part === '-' ? '\\-' : part;
  const hyphen = CLASS_ESCAPE.test(from) || CLASS_ESCAPE.test(to) ? '\\-' : '-';
  return `${strictRange(from)}${hyphen}${strictRange(to)}`;
};

const strictEscape = (escape: string, character: string): string =>
  PLAIN_PUNCTUATION.test(character) ? character : escape;

const literal = (code: number): Tree => ({ kind: 'one', test: (other) => other === code });

function codeOf([, byte, unit, point, control]: RegExpExecArray): number {
  if (control !== undefined) return control.charCodeAt(0) % 32;
  const code = Number.parseInt(byte ?? unit ?? point ?? '', 16);
  if (code > 0x10ffff) throw new PatternFault('A code point goes up to 10FFFF.');
  return code;
}

const tooLarge = () => new PatternFault('The pattern is too large. Repeat less.');

/** Makes states from the end to the start: each knows the one that follows. */
class Builder {
  readonly states: State[] = [];
  visits = 0;
  readonly #most: Readonly<Record<'states' | 'visits', number>>;

  constructor(most: Readonly<Record<'states' | 'visits', number>>) {
    this.#most = most;
  }

  add(state: State): number {
    if (this.states.length >= this.#most.states) throw tooLarge();
    return this.states.push(state) - 1;
  }

  /** The state that matches `tree` and then goes to `next`. */
  build(tree: Tree, next: number): number {
    if (this.visits >= this.#most.visits) throw tooLarge();
    this.visits += 1;
    if (tree.kind === 'one') return this.add({ test: tree.test, assert: null, out: next, other: NONE });
    if (tree.kind === 'assert') return this.add({ test: null, assert: tree.what, out: next, other: NONE });
    if (tree.kind === 'repeat') return this.#repeat(tree, next);
    if (tree.kind === 'sequence') return tree.of.reduceRight((after, part) => this.build(part, after), next);
    return tree.of.map((part) => this.build(part, next)).reduceRight((other, out) => this.#fork(out, other));
  }

  #repeat({ of, least, most }: Tree & { kind: 'repeat' }, next: number): number {
    let start = next;
    if (most === Infinity) {
      start = this.#fork(NONE, next);
      (this.states[start] as State).out = this.build(of, start);
    } else for (let count = most; count > least; count -= 1) start = this.#fork(this.build(of, start), next);
    for (let count = least; count > 0; count -= 1) start = this.build(of, start);
    return start;
  }

  #fork(out: number, other: number): number {
    return this.add({ test: null, assert: null, out, other });
  }
}

/** Whether it can match only at the start of the text. */
function isAnchored(tree: Tree): boolean {
  if (tree.kind === 'assert') return tree.what === 'start';
  if (tree.kind === 'choice') return tree.of.every(isAnchored);
  return tree.kind === 'sequence' && tree.of[0] !== undefined && isAnchored(tree.of[0]);
}
