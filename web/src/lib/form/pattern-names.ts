// Tells which members of an object have a name that follows a pattern of its schema, as the validator does (TS3).
import { BoundedCache } from '@countersign/shared/bounded-cache';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import { isObject } from '#lib/values/json/lossless.ts';
import type { View } from './schema-reader.ts';

type NameTest = (name: string) => boolean;

/** A form is derived again at every key: neither its patterns nor its names are judged again. */
const tests = new BoundedCache<NameTest>(20);
const MAX_NAMES = 1000;

/** Whether the name follows one of the `patternProperties`; one that this version cannot read may mean any name. */
export function followsPattern(view: View, name: string): boolean {
  const patterns = isObject(view.patternProperties ?? null) ? Object.keys(view.patternProperties as View) : [];
  return patterns.length > 0 && tests.get(JSON.stringify(patterns), () => testOf(patterns))(name);
}

function testOf(patterns: readonly string[]): NameTest {
  const compiled = compileSchema(JSON.stringify({ anyOf: patterns.map((pattern) => ({ pattern })) }));
  if (!compiled.ok) return () => true;
  const results = new BoundedCache<boolean>(MAX_NAMES);
  return (name) => results.get(name, () => validate(compiled.schema, name).length === 0);
}
