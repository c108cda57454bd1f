// Infers the schema of a form from a value: the kinds of its parts, and nothing that is required. Pure.
import { entriesOf, isArray, isObject, isScalar, kindOf, objectOf } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { memberOf } from './schema-reader.ts';

/** The most fields of a form without a schema; more is edited as JSON. */
export const MOST_FIELDS = 60;
/** Objects and lists inside one another, the outermost included. */
const MOST_LEVELS = 5;

/**
 * The schema of a value's form: the kind of each place; the entries of a list share the members of all of them. Null where no form shows the
 * value well: parts of several kinds, too many or too deep ones, or nothing that a field could take.
 */
export function inferSchema(value: Json): Json | null {
  if (isScalar(value)) return null;
  const leaves = leavesIn(value);
  if (leaves === 0 || leaves > MOST_FIELDS) return null;
  const schema = schemaOf([value], 1);
  return schema === null || fieldsIn(schema, value) > MOST_FIELDS ? null : schema;
}

/** The scalars in a value, counted until there are too many. */
function leavesIn(value: Json): number {
  let count = 0;
  const open = [value];
  for (let next = open.pop(); next !== undefined && count <= MOST_FIELDS; next = open.pop()) {
    if (isScalar(next)) count += 1;
    else open.push(...membersOf(next));
  }
  return count;
}

const membersOf = (value: Json): Json[] =>
  isArray(value) ? value : isObject(value) ? entriesOf(value).map(([, member]) => member) : [];

/** The schema of values that are at the same place, such as a column of several rows. */
function schemaOf(values: readonly Json[], level: number): Json | null {
  const kinds = new Set(values.map(kindOf));
  const nullable = kinds.delete('null');
  const [kind, ...others] = kinds;
  if (others.length > 0) return null;
  // Nothing says what else may be there.
  if (kind === undefined) return {};
  const type = nullable ? [kind, 'null'] : kind;
  if (kind !== 'object' && kind !== 'array') return { type };
  if (level > MOST_LEVELS) return null;
  if (kind === 'object') {
    const properties = propertiesOf(values.filter(isObject), level + 1);
    return properties && { type, properties };
  }
  const entries = values.filter(isArray).flat();
  const items = schemaOf(entries, level + 1);
  return items && (entries.length === 0 ? { type } : { type, items });
}

/** The members of all rows, in the order in which they first appear. */
function propertiesOf(rows: readonly Json[], level: number): Json | null {
  const columns = new Map<string, Json[]>();
  for (const [key, member] of rows.flatMap((row) => (isObject(row) ? entriesOf(row) : []))) {
    const column = columns.get(key);
    if (column === undefined) columns.set(key, [member]);
    else column.push(member);
  }
  const members = [...columns].map(([key, column]) => [key, schemaOf(column, level)] as const);
  const known = members.filter((member): member is readonly [string, Json] => member[1] !== null);
  return known.length < members.length ? null : objectOf(known.map(([key, schema]) => [key, schema]));
}

/** The controls of the form: also those of members that other rows have. */
function fieldsIn(schema: Json | undefined, value: Json | undefined): number {
  const properties = memberOf(schema, 'properties');
  if (properties !== undefined && isObject(properties) && value !== undefined && isObject(value)) {
    const fields = entriesOf(properties).map(([key, member]) => fieldsIn(member, memberOf(value, key)));
    return fields.reduce((sum, each) => sum + each, 0);
  }
  if (value === undefined || !isArray(value)) return 1;
  return value.reduce<number>((sum, entry) => sum + fieldsIn(memberOf(schema, 'items'), entry), 0);
}
