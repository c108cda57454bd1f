// Follows the automaton of a pattern through a text, in a time that grows with the text and the number of states only.

/** A compiled pattern: whether it matches somewhere in the text. `spend` is told the steps, and may throw to end it. */
export type Matcher = (text: string, spend: (steps: number) => void) => boolean;

export type Assertion = 'start' | 'end' | 'word' | 'not word';
export type CodePointTest = (code: number) => boolean;

/** A state of the automaton. It consumes a character, asserts something, forks to `out` and `other`, or (with neither) accepts. */
export interface State {
  test: CodePointTest | null;
  assert: Assertion | null;
  out: number;
  other: number;
}

/** No state, and no character before or after the text. */
export const NONE = -1;
export const LAST_ASCII = 127;

const isWord = (code: number): boolean => code >= 0 && code < 128 && /\w/.test(String.fromCharCode(code));

const ASSERTIONS: Readonly<Record<Assertion, (before: number, after: number) => boolean>> = {
  start: (before) => before === NONE,
  end: (_before, after) => after === NONE,
  word: (before, after) => isWord(before) !== isWord(after),
  'not word': (before, after) => isWord(before) === isWord(after),
};

/** What a match costs before its first character. */
const STEPS_OF_MATCH = 20;

/** Only tests of ASCII are remembered: others ask the platform each time, which takes longest for a pair of surrogates. */
const stepsOfTest = (code: number): number => (code <= LAST_ASCII ? 1 : code <= 0xffff ? 2 : 3);

/** Follows all states at once, so that a text costs its length times the number of states at most. */
export function matcherOf(states: readonly State[], start: number, anchored: boolean): Matcher {
  return (text, spend) => {
    spend(STEPS_OF_MATCH + (states.length >> 3));
    const walk = new Walk(states);
    for (let at = 0, before = NONE; ;) {
      const code = text.codePointAt(at) ?? NONE;
      if (at === 0 || !anchored) walk.push(start);
      const accepted = walk.follow(before, code);
      spend(walk.visited * stepsOfTest(code));
      if (accepted) return true;
      if (code === NONE || (anchored && walk.isStuck)) return false;
      walk.consume(code);
      before = code;
      at += code > 0xffff ? 2 : 1;
    }
  };
}

/** The states that are reached at one position of the text. It allocates nothing while it goes on. */
class Walk {
  /** States that were entered since the last position. */
  visited = 0;
  readonly #states: readonly State[];
  /** To be entered. */
  readonly #pending: Int32Array;
  #pendingCount = 0;
  /** Those that consume a character. */
  readonly #waiting: Int32Array;
  #waitingCount = 0;
  /** The position at which each state was last entered. */
  readonly #entered: Int32Array;
  #position = 0;

  constructor(states: readonly State[]) {
    this.#states = states;
    // Each of the states that wait pushes one, each that is entered two, and the start one.
    this.#pending = new Int32Array(3 * states.length + 1);
    this.#waiting = new Int32Array(states.length);
    this.#entered = new Int32Array(states.length);
  }

  get isStuck(): boolean {
    return this.#waitingCount === 0;
  }

  push(index: number): void {
    this.#pending[this.#pendingCount] = index;
    this.#pendingCount += 1;
  }

  /** Enters all states that need no character. True when one accepts. */
  follow(before: number, after: number): boolean {
    this.#position += 1;
    this.#waitingCount = 0;
    this.visited = 1;
    while (this.#pendingCount > 0) {
      this.#pendingCount -= 1;
      const index = this.#pending[this.#pendingCount] as number;
      if (this.#entered[index] === this.#position) continue;
      this.#entered[index] = this.#position;
      this.visited += 1;
      const state = this.#states[index] as State;
      if (state.test !== null) this.#wait(index);
      else if (state.assert !== null) {
        if (ASSERTIONS[state.assert](before, after)) this.push(state.out);
      } else if (state.out === NONE) return true;
      else {
        this.push(state.out);
        this.push(state.other);
      }
    }
    return false;
  }

  #wait(index: number): void {
    this.#waiting[this.#waitingCount] = index;
    this.#waitingCount += 1;
  }

  /** Moves on by a character. */
  consume(code: number): void {
    for (let at = 0; at < this.#waitingCount; at += 1) {
      const { test, out } = this.#states[this.#waiting[at] as number] as State;
      if (test?.(code)) this.push(out);
    }
  }
}
