// Checks a value against a compiled schema, within a number of steps, and says in words what does not fit.
import { escapePart } from '../json/json-pointer.ts';
import type { Json } from '../json/json.ts';
import { isNumber } from './exact-numbers.ts';
import { isObject } from './keywords.ts';

/** Something in a value that does not fit. Pointers are JSON pointers: into the value, and to the keyword in the schema. */
export interface Fault {
  pointer: string;
  schema_pointer: string;
  keyword: string;
  /** Without a subject, which is the value at the pointer: “must be at least 5”. */
  message: string;
}

/** A schema, or one inside it. */
export interface SchemaNode {
  pointer: string;
  /** The keyword that contains it, such as `items`; `$ref` at the root, which only a reference contains. */
  keyword: string;
  /** What a schema that is `true` or `false` answers. */
  allows: boolean | null;
  rules: Rule[];
  /** The schemas that it applies to the same value. */
  inPlace: SchemaNode[];
}

export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

/** One keyword. `of`: the values that it applies to. A text is the fault; false means that the faults are already reported. */
export interface Rule {
  keyword: string;
  pointer: string;
  of: Kind | 'any';
  test: Test;
}
export type Test = (visit: Visit, run: Run) => string | boolean;

/** A position in the value, as a list from its end. */
export interface Place {
  up: Place | null;
  key: string | number;
}

/** A value that a schema is applied to. */
export interface Visit {
  value: Json;
  kind: Kind;
  place: Place | null;
  /** What was evaluated so far; null where no `unevaluated…` asks for it. */
  seen: Seen | null;
}

/** The members and entries that a schema has evaluated. */
export interface Seen {
  names: Set<string>;
  entries: Set<number>;
  /** All entries before this one are evaluated too. */
  before: number;
}

export interface CompiledSchema {
  root: SchemaNode;
  /** Whether an `unevaluated…` needs to know what was evaluated. */
  tracks: boolean;
}

/** Steps of one validation: a few milliseconds. A step is about a state of a pattern, a name, or 8 to 16 characters. */
export const MAX_STEPS = 250_000;
/** A schema that is applied costs as much as this many states of a pattern. */
const STEPS_OF_SCHEMA = 4;
const STEPS_OF_SEEN = 12;
const STEPS_OF_FAULT = 12;
/** Schemas that are applied inside each other: it keeps the stack small. */
const MAX_NESTED = 500;
const MAX_FAULTS = 50;
/** Characters of all faults of a value: a pointer to a deep member has thousands, and faults are stored with the item. */
const MAX_FAULT_CHARACTERS = 16 * 1024;

/** Ends a validation whose budget is spent. */
class BudgetSpent extends Error {}

/**
 * The faults of a value, at most 50; none when it fits. A validation that takes too many steps ends with a fault as well.
 * Pass values that `exactJson` has read: numbers are then compared by their text.
 */
export function validate(schema: CompiledSchema, value: Json, steps = MAX_STEPS): Fault[] {
  const run = new Run(schema.tracks, steps);
  try {
    run.apply(schema.root, { value, place: null });
    return formatted(run.faults);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    return [{ pointer: '', schema_pointer: '', keyword: 'budget', message: error.message }];
  }
}

/** As many as have room, and the first one always. Only these get their pointers: most are found in branches that do not count. */
function formatted(found: readonly FoundFault[]): Fault[] {
  const faults: Fault[] = [];
  let characters = 0;
  for (const { place, rule, message } of found) {
    const fault = { pointer: pointerOf(place), schema_pointer: rule.pointer, keyword: rule.keyword, message };
    characters += fault.pointer.length + fault.schema_pointer.length + message.length;
    if (characters > MAX_FAULT_CHARACTERS && faults.length > 0) break;
    faults.push(fault);
  }
  return faults;
}

/** A fault while a validation runs. */
export interface FoundFault {
  place: Place | null;
  rule: Pick<Rule, 'keyword' | 'pointer'>;
  message: string;
}

/** One validation: what it found, and what it may still spend. */
export class Run {
  faults: FoundFault[] = [];
  /** Nobody reads the faults: the first one ends a schema. */
  quiet = false;
  readonly tracks: boolean;
  #stepsLeft: number;
  #nested = 0;

  constructor(tracks: boolean, steps: number) {
    this.tracks = tracks;
    this.#stepsLeft = steps;
  }

  /** An arrow function, to be passed on. */
  readonly spend = (steps: number): void => {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0)
      throw new BudgetSpent(
        'takes too many steps to check against its schema: make the schema simpler or the value smaller',
      );
  };

  /** Applies a schema to a value of its own, such as a member. */
  apply(node: SchemaNode, { value, place }: Pick<Visit, 'value' | 'place'>): boolean {
    return this.#evaluate(node, { value, kind: kindOf(value), place, seen: this.#nothingSeen() });
  }

  /** Applies a schema to the same value. What it has evaluated counts when the value fits. */
  applyInPlace(node: SchemaNode, visit: Visit): boolean {
    const seen = this.#nothingSeen();
    const fits = this.#evaluate(node, { ...visit, seen });
    if (fits) this.#merge(visit.seen, seen);
    return fits;
  }

  /** The faults of a schema that may fail: they are not reported. Empty when the value fits; in quiet runs it only says whether. */
  attempt(node: SchemaNode, visit: Visit): { fits: boolean; faults: FoundFault[] } {
    const before = this.faults;
    this.faults = [];
    const fits = this.applyInPlace(node, visit);
    const { faults } = this;
    this.faults = before;
    return { fits, faults };
  }

  /** Whether a value fits, without faults. `seen` as for `applyInPlace`. */
  asks(work: () => boolean): boolean {
    const { quiet } = this;
    this.quiet = true;
    const fits = work();
    this.quiet = quiet;
    return fits;
  }

  report(place: Place | null, rule: FoundFault['rule'], message: string): false {
    if (this.quiet || this.faults.length >= MAX_FAULTS) return false;
    this.spend(STEPS_OF_FAULT);
    this.faults.push({ place, rule, message });
    return false;
  }

  /** Passes on faults of an attempt. */
  adopt(faults: FoundFault[]): false {
    this.faults.push(...faults.slice(0, MAX_FAULTS - this.faults.length));
    return false;
  }

  #evaluate(node: SchemaNode, visit: Visit): boolean {
    this.spend(STEPS_OF_SCHEMA);
    if (node.allows !== null) return node.allows || this.report(visit.place, node, 'is not allowed here: remove it');
    this.#nested += 1;
    if (this.#nested > MAX_NESTED)
      throw new BudgetSpent(
        'is nested too deeply to check against its schema: make the schema or the value less nested',
      );
    const fits = this.#passes(node, visit);
    this.#nested -= 1;
    return fits;
  }

  #passes({ rules }: SchemaNode, visit: Visit): boolean {
    let fits = true;
    for (const rule of rules) {
      if (rule.of !== 'any' && rule.of !== visit.kind) continue;
      this.spend(1);
      const answer = rule.test(visit, this);
      if (answer === true) continue;
      fits = false;
      if (answer !== false) this.report(visit.place, rule, answer);
      // Of a value of the wrong type nothing else is worth saying.
      if (this.quiet || rule.keyword === 'type') break;
    }
    return fits;
  }

  #nothingSeen(): Seen | null {
    if (this.tracks) this.spend(STEPS_OF_SEEN);
    return this.tracks ? { names: new Set(), entries: new Set(), before: 0 } : null;
  }

  #merge(into: Seen | null, seen: Seen | null): void {
    if (into === null || seen === null) return;
    this.spend(seen.names.size + seen.entries.size);
    for (const name of seen.names) into.names.add(name);
    for (const entry of seen.entries) into.entries.add(entry);
    into.before = Math.max(into.before, seen.before);
  }
}

/** The type of a value, as `type` names it; a number of any spelling is a `number`. */
export function kindOf(value: Json): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return 'number';
  if (isObject(value)) return 'object';
  return typeof value as 'string' | 'boolean';
}

/** As a JSON pointer. */
export function pointerOf(place: Place | null): string {
  const parts: string[] = [];
  for (let at = place; at !== null; at = at.up) parts.push(`/${escapePart(at.key)}`);
  return parts.reverse().join('');
}
