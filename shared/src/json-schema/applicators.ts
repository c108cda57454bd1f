// The keywords that apply other schemas: to the same value, to its members or to its entries.
import type { Json } from '../json/json.ts';
import { eitherOf, type Part, type Tested } from './assertions.ts';
import { type FoundFault, type Run, type SchemaNode, type Test, type Visit } from './evaluate.ts';
import { isNumber, numberText } from './exact-numbers.ts';
import { isObject } from './keywords.ts';

const namesOf = (value: Json | undefined): string[] => (isObject(value) ? Object.keys(value) : []);
const lengthOf = (value: Json | undefined): number => (Array.isArray(value) ? value.length : 0);

/** The compiled schemas of a list. */
const listed = ({ value, keyword, child }: Part): SchemaNode[] =>
  (value as Json[]).map((_, index) => child(keyword, index));

/** Applies a schema to a member, which then counts as evaluated. */
function applyToMember(node: SchemaNode, name: string, { visit, run }: { visit: Visit; run: Run }): boolean {
  visit.seen?.names.add(name);
  const value = (visit.value as Record<string, Json>)[name] ?? null;
  return run.apply(node, { value, place: { up: visit.place, key: name } });
}

function applyToEntry(node: SchemaNode, index: number, { visit, run }: { visit: Visit; run: Run }): boolean {
  const value = (visit.value as Json[])[index] ?? null;
  return run.apply(node, { value, place: { up: visit.place, key: index } });
}

/** Whether all hold. Each is asked, for its faults, except in a quiet run. */
function everyOne<T>(run: Run, items: Iterable<T>, holds: (item: T) => boolean): boolean {
  let all = true;
  for (const item of items) {
    all = holds(item) && all;
    if (!all && run.quiet) return false;
  }
  return all;
}

const membersOf = (visit: Visit, run: Run): string[] => {
  const names = Object.keys(visit.value as object);
  run.spend(2 * names.length);
  return names;
};

function propertiesTest({ value, child }: Part): Test {
  const nodes = namesOf(value).map((name) => ({ name, node: child('properties', name) }));
  return (visit, run) => {
    run.spend(nodes.length);
    const present = nodes.filter(({ name }) => Object.hasOwn(visit.value as object, name));
    return everyOne(run, present, ({ name, node }) => applyToMember(node, name, { visit, run }));
  };
}

function patternPropertiesTest({ value, child, matcher }: Part): Test {
  const nodes = namesOf(value).map((pattern) => ({
    matches: matcher(pattern),
    node: child('patternProperties', pattern),
  }));
  return (visit, run) =>
    everyOne(run, membersOf(visit, run), (name) =>
      everyOne(
        run,
        nodes,
        ({ matches, node }) => !matches(name, run.spend) || applyToMember(node, name, { visit, run }),
      ),
    );
}

function additionalPropertiesTest({ siblings, child, matcher }: Part): Test {
  const declared = new Set(namesOf(siblings.properties));
  const patterns = namesOf(siblings.patternProperties).map(matcher);
  const node = child('additionalProperties');
  return (visit, run) => {
    const isOther = (name: string) => !declared.has(name) && !patterns.some((matches) => matches(name, run.spend));
    return everyOne(run, membersOf(visit, run).filter(isOther), (name) => applyToMember(node, name, { visit, run }));
  };
}

function unevaluatedPropertiesTest({ child }: Part): Test {
  const node = child('unevaluatedProperties');
  return (visit, run) => {
    const rest = membersOf(visit, run).filter((name) => !visit.seen?.names.has(name));
    return everyOne(run, rest, (name) => applyToMember(node, name, { visit, run }));
  };
}

function propertyNamesTest({ child, ...rule }: Part): Test {
  const node = child('propertyNames');
  return (visit, run) =>
    everyOne(run, membersOf(visit, run), (name) => {
      const place = { up: visit.place, key: name };
      const { fits, faults } = run.attempt(node, { value: name, kind: 'string', place, seen: null });
      return fits || run.report(place, rule, `has a name that is not allowed: it ${faults[0]?.message ?? ''}`);
    });
}

function dependentSchemasTest({ value, child }: Part): Test {
  const nodes = namesOf(value).map((name) => ({ name, node: child('dependentSchemas', name) }));
  return (visit, run) => {
    run.spend(nodes.length);
    const present = nodes.filter(({ name }) => Object.hasOwn(visit.value as object, name));
    return everyOne(run, present, ({ node }) => run.applyInPlace(node, visit));
  };
}

function prefixItemsTest(part: Part): Test {
  const nodes = listed(part);
  return (visit, run) => {
    const length = Math.min(nodes.length, lengthOf(visit.value));
    if (visit.seen) visit.seen.before = Math.max(visit.seen.before, length);
    return everyOne(run, nodes.slice(0, length).entries(), ([index, node]) =>
      applyToEntry(node, index, { visit, run }),
    );
  };
}

function* indexes(from: number, to: number): Generator<number> {
  for (let index = from; index < to; index += 1) yield index;
}

function itemsTest({ siblings, child }: Part): Test {
  const first = lengthOf(siblings.prefixItems);
  const node = child('items');
  return (visit, run) => {
    const length = lengthOf(visit.value);
    if (visit.seen) visit.seen.before = length;
    return everyOne(run, indexes(first, length), (index) => applyToEntry(node, index, { visit, run }));
  };
}

function unevaluatedItemsTest({ child }: Part): Test {
  const node = child('unevaluatedItems');
  return (visit, run) => {
    const length = lengthOf(visit.value);
    const { before, entries } = visit.seen ?? { before: 0, entries: new Set() };
    const holds = (index: number) => entries.has(index) || applyToEntry(node, index, { visit, run });
    const all = everyOne(run, indexes(before, length), holds);
    if (visit.seen) visit.seen.before = length;
    return all;
  };
}

/** A count may be spelled `2.0`. */
const countOf = (value: Json | undefined, otherwise: number): number =>
  isNumber(value) ? Number(numberText(value)) : otherwise;

const entriesText = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'} of the required form`;

/** With `minContains` and `maxContains`, which mean nothing alone. */
function containsTest({ siblings, child }: Part): Test {
  const node = child('contains');
  const [least, most] = [countOf(siblings.minContains, 1), countOf(siblings.maxContains, Infinity)];
  return (visit, run) => {
    let found = 0;
    for (const index of indexes(0, lengthOf(visit.value))) {
      if (!run.asks(() => applyToEntry(node, index, { visit, run }))) continue;
      visit.seen?.entries.add(index);
      found += 1;
    }
    if (found < least) return `must have at least ${entriesText(least)}, and has ${found}`;
    return found <= most || `must have at most ${entriesText(most)}, and has ${found}`;
  };
}

function allOfTest(part: Part): Test {
  const nodes = listed(part);
  return (visit, run) => everyOne(run, nodes, (node) => run.applyInPlace(node, visit));
}

function anyOfTest(part: Part): Test {
  const nodes = listed(part);
  return (visit, run) => {
    const failed: FoundFault[][] = [];
    let fits = false;
    for (const node of nodes) {
      const attempt = run.attempt(node, visit);
      fits ||= attempt.fits;
      // Where something asks for what was evaluated, all branches that fit count.
      if (fits && !run.tracks) return true;
      failed.push(attempt.faults);
    }
    return fits || explain(failed, { part, visit, run });
  };
}

function oneOfTest(part: Part): Test {
  const nodes = listed(part);
  return (visit, run) => {
    const failed: FoundFault[][] = [];
    let fitting = 0;
    for (const node of nodes) {
      const { fits, faults } = run.attempt(node, visit);
      if (fits) fitting += 1;
      else failed.push(faults);
    }
    if (fitting === 1) return true;
    if (fitting > 1) return `fits ${fitting} of the ${nodes.length} allowed forms, and must fit exactly one`;
    return explain(failed, { part, visit, run });
  };
}

const MUST_BE = 'must be ';

/**
 * What to say of a value that fits no branch. The types, where only those are wrong; the faults of the branch that is meant, where
 * all others have another type or another constant; else only how many branches there are.
 */
function explain(failed: FoundFault[][], { part, visit, run }: { part: Part; visit: Visit; run: Run }): false {
  if (run.quiet) return false;
  const own = visit.place;
  const isOwnType = ({ place, rule }: FoundFault) => place === own && rule.keyword === 'type';
  if (failed.every((faults) => faults.length === 1 && faults.every(isOwnType))) {
    const types = new Set(failed.flatMap((faults) => faults.map(({ message }) => message.slice(MUST_BE.length))));
    return run.report(visit.place, part, MUST_BE + eitherOf([...types]));
  }
  const isNear = ({ place }: FoundFault) => place === own || place?.up === own;
  const isOther = (fault: FoundFault) =>
    isOwnType(fault) || (['const', 'enum'].includes(fault.rule.keyword) && isNear(fault));
  const meant = failed.filter((faults) => !faults.some(isOther));
  const [only] = meant;
  if (meant.length === 1 && only && only.length > 0) return run.adopt(only);
  return run.report(
    visit.place,
    part,
    failed.length === 1 ? 'does not have the allowed form' : `must fit one of the ${failed.length} allowed forms`,
  );
}

function notTest({ child }: Part): Test {
  const node = child('not');
  return (visit, run) => !run.asks(() => run.apply(node, visit)) || 'has a form that is not allowed';
}

function ifTest({ siblings, child }: Part): Test {
  const condition = child('if');
  const [then, otherwise] = ['then', 'else'].map((keyword) =>
    siblings[keyword] === undefined ? null : child(keyword),
  );
  return (visit, run) => {
    const branch = run.asks(() => run.applyInPlace(condition, visit)) ? then : otherwise;
    return !branch || run.applyInPlace(branch, visit);
  };
}

function refTest({ target }: Part): Test {
  const node = target();
  return (visit, run) => run.applyInPlace(node, visit);
}

export const APPLICATORS: Readonly<Record<string, Tested>> = {
  $ref: { of: 'any', build: refTest },
  allOf: { of: 'any', build: allOfTest },
  anyOf: { of: 'any', build: anyOfTest },
  oneOf: { of: 'any', build: oneOfTest },
  not: { of: 'any', build: notTest },
  if: { of: 'any', build: ifTest },
  properties: { of: 'object', build: propertiesTest },
  patternProperties: { of: 'object', build: patternPropertiesTest },
  additionalProperties: { of: 'object', build: additionalPropertiesTest },
  propertyNames: { of: 'object', build: propertyNamesTest },
  dependentSchemas: { of: 'object', build: dependentSchemasTest },
  prefixItems: { of: 'array', build: prefixItemsTest },
  items: { of: 'array', build: itemsTest },
  contains: { of: 'array', build: containsTest },
  // These know what all others have evaluated: the compiler puts them last.
  unevaluatedItems: { of: 'array', build: unevaluatedItemsTest },
  unevaluatedProperties: { of: 'object', build: unevaluatedPropertiesTest },
};
