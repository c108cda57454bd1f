// The value a form starts with, or adds: required objects and lists, and constants. Pure.
import { entriesOf, isObject, numberText, objectOf } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { kindsOf, listOf, SchemaReader, type View } from './schema-reader.ts';
import { optionsOf } from './unions.ts';

/** Objects inside one another that are made: a schema may contain itself. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 20;

/** The least value of a schema; undefined where a person has to say it. */
export const scaffoldOf = (schema: Json, document: Json = schema): Json | undefined =>
  new Scaffolder(new SchemaReader(document)).value(schema, 0);

/** What is added for a place that is known by its keywords: an object or a list even where it could be left out. */
export function addedValue(view: View, document: Json): Json {
  const value = scaffoldOf(view, document);
  if (value !== undefined) return value;
  const [kind] = kindsOf(view).filter((each) => each !== 'null');
  // An entry that must be typed starts as an empty text, which is no number either: its field then asks for one.
  return kind === 'object' ? {} : kind === 'array' ? [] : kind === 'boolean' ? false : '';
}

class Scaffolder {
  readonly #reader: SchemaReader;

  constructor(reader: SchemaReader) {
    this.#reader = reader;
  }

  value(schema: Json | undefined, depth: number): Json | undefined {
    const view = this.#reader.view(schema);
    if (view === null || depth > MAX_DEPTH) return undefined;
    if (view.const !== undefined) return view.const;
    if (optionsOf(view, this.#reader).options.length > 1) return undefined;
    const [kind, ...others] = kindsOf(view);
    if (others.length > 0) return undefined;
    if (kind === 'object') return this.#object(view, depth);
    return kind === 'array' ? this.#list(view, depth) : undefined;
  }

  #object(view: View, depth: number): Json {
    const required = listOf(view.required);
    const properties = isObject(view.properties ?? null) ? entriesOf(view.properties as View) : [];
    return objectOf(
      properties.flatMap(([key, schema]): [string, Json][] => {
        const value = required.includes(key) ? this.value(schema, depth + 1) : undefined;
        return value === undefined ? [] : [[key, value]];
      }),
    );
  }

  #list(view: View, depth: number): Json {
    const least = view.minItems === undefined ? 0 : Number(numberText(view.minItems));
    const entry = this.value(view.items, depth + 1);
    return Array.from({ length: Math.min(least, MAX_ENTRIES) }, () => entry ?? '');
  }
}
