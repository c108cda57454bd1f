// The arguments of a tool call as rows, named by its schema, with what an edit made of each. Pure.
import { entriesOf, isObject, type JsonObject } from '#lib/values/json/lossless.ts';
import { sameDecimals } from '#lib/values/json/json-compare.ts';
import type { Json } from '@countersign/shared/json/json';
import { memberOf, SchemaReader, textOf } from './schema-reader.ts';

export interface ArgumentRow {
  readonly key: string;
  /** The title in the schema; null where it has none. */
  readonly title: string | null;
  readonly description: string | null;
  /** Undefined: it is not there. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly changed: boolean;
}

/** The order is that of the schema, then that of the arguments. `after`: null where nothing was edited. */
export function argumentRows(schema: Json | null, before: JsonObject, after: JsonObject | null): ArgumentRow[] {
  const view = schema === null ? null : new SchemaReader(schema);
  const properties = view?.view(schema ?? undefined)?.properties ?? {};
  const named = isObject(properties) ? entriesOf(properties).map(([key]) => key) : [];
  const present = [...entriesOf(before), ...entriesOf(after ?? {})].map(([key]) => key);
  const keys = [...named.filter((key) => present.includes(key)), ...present.filter((key) => !named.includes(key))];
  return [...new Set(keys)].map((key) => {
    const [old, now] = [memberOf(before, key), memberOf(after ?? before, key)];
    const about = view?.view(memberOf(properties, key)) ?? {};
    const changed = old === undefined || now === undefined ? old !== now : !sameDecimals(old, now);
    return {
      key,
      title: textOf(about, 'title'),
      description: textOf(about, 'description'),
      before: old,
      after: now,
      changed,
    };
  });
}

/** What the tool does, as its schema says. */
export const purposeOf = (schema: Json | null): string | null => {
  const view = schema === null ? null : new SchemaReader(schema).view(schema);
  return view === null ? null : textOf(view, 'description');
};
