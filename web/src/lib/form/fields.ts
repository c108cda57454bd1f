// The form of a value and its schema, as a tree of fields in the order of the schema. Pure.
import { startsWithDay } from '#lib/format/calendar-day.ts';
import {
  entriesOf,
  isArray,
  isObject,
  kindOf,
  numberText,
  printJson,
  type JsonKind,
} from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { choicesOf, keyOf, type Choice } from './choices.ts';
import { pointerOf, type Path } from './paths.ts';
import { followsPattern } from './pattern-names.ts';
import { kindsOf, listOf, memberOf, SchemaReader, textOf, type View } from './schema-reader.ts';
import { optionsOf, pickOption, type UnionOption } from './unions.ts';

/** Texts that are this long or may be get a field of several lines. */
const LONG_TEXT = 120;
/** Fields of one form; what is beyond them is shown as JSON. */
const MAX_FIELDS = 800;
const MAX_DEPTH = 24;

export type DateInput = 'date' | 'time' | 'datetime-local';

/** What a field edits its value with. */
export type Control =
  | { readonly kind: 'text'; readonly typed: string; readonly long: boolean; readonly mode: 'text' | 'email' | 'url' }
  | { readonly kind: 'number'; readonly typed: string; readonly integer: boolean; readonly bounds: string | null }
  | { readonly kind: 'boolean'; readonly value: boolean | null }
  | { readonly kind: 'choice'; readonly choices: readonly Choice[]; readonly chosen: number }
  | { readonly kind: 'date'; readonly input: DateInput; readonly typed: string; readonly zone: string }
  /** `fits`: the value is the constant. */
  | { readonly kind: 'const'; readonly value: Json; readonly fits: boolean }
  | { readonly kind: 'object'; readonly fields: readonly Field[]; readonly order: readonly string[] }
  | {
      readonly kind: 'list';
      readonly items: readonly Field[];
      /** The schema of an entry that is added; null where no more may be. */
      readonly added: View | null;
      readonly least: number;
      /** Entries are texts or numbers, so that several can be pasted, one per line. */
      readonly plain: 'string' | 'number' | null;
    }
  | {
      readonly kind: 'union';
      readonly options: readonly UnionOption[];
      /** `NO_OPTION`: the value is none of them. */
      readonly chosen: number;
      readonly body: Field | null;
    }
  /** An object or a list that is not there and can be added. */
  | { readonly kind: 'absent'; readonly view: View }
  /** No form can show it. `view` where it could if the value had the right kind. */
  | { readonly kind: 'json'; readonly view: View | null };

export interface Field {
  readonly path: Path;
  readonly pointer: string;
  /** The title, else the key; entries of a list are numbered. */
  readonly label: string;
  /** The key in the value, shown beside a title that differs. */
  readonly key: string | null;
  readonly description: string | null;
  readonly examples: readonly string[];
  /** The value that the schema suggests where there is none; never written without being asked for. */
  readonly preset: Json | undefined;
  readonly required: boolean;
  /** Undefined: the value has no such member. */
  readonly value: Json | undefined;
  readonly readOnly: boolean;
  readonly nullable: boolean;
  /** The keys of the object around it, in the order in which one is put back. */
  readonly siblings: readonly string[];
  readonly control: Control;
}

/** The options of unions that a person chose, by pointer: a value may fit several. */
export type Chosen = Readonly<Record<string, number>>;

/** None of the options: the value is edited as JSON. */
export const NO_OPTION = -1;

/** What the form remembers of what a person did, besides the value. */
export interface FormMemory {
  readonly chosen: Chosen;
  /** The value before a place was cleared: a date keeps its offset. */
  readonly before: (path: Path) => Json | undefined;
}

const NO_MEMORY: FormMemory = { chosen: {}, before: () => undefined };

interface Place {
  readonly path: Path;
  readonly label: string | null;
  readonly required: boolean;
  readonly siblings: readonly string[];
}

/** Builds the tree of fields for a value; `undefined` where there is none yet. */
export function fieldsOf(schema: Json, value: Json | undefined, memory: FormMemory = NO_MEMORY): Field {
  return new FormBuilder(new SchemaReader(schema), memory).field(schema, value, {
    path: [],
    label: null,
    required: true,
    siblings: [],
  });
}

/** All fields with a control of their own, in the order of Tab. */
export function flatFields(field: Field): Field[] {
  const { control } = field;
  if (control.kind === 'object') return [field, ...control.fields.flatMap(flatFields)];
  if (control.kind === 'list') return [field, ...control.items.flatMap(flatFields)];
  if (control.kind === 'union' && control.body !== null) return [field, ...flatFields(control.body).slice(1)];
  return [field];
}

class FormBuilder {
  readonly #reader: SchemaReader;
  readonly #memory: FormMemory;
  #left = MAX_FIELDS;

  constructor(reader: SchemaReader, memory: FormMemory) {
    this.#reader = reader;
    this.#memory = memory;
  }

  field(schema: Json | undefined, value: Json | undefined, place: Place): Field {
    this.#left -= 1;
    const view = this.#left < 0 || place.path.length > MAX_DEPTH ? null : this.#reader.view(schema);
    if (view === null)
      return this.#describe({}, value, { place, nullable: false, control: { kind: 'json', view: null } });
    const { options, nullable } = optionsOf(view, this.#reader);
    const only = options.length === 1 ? options[0]?.view : undefined;
    const shown = only ?? view;
    const control = options.length > 1 ? this.#union(options, value, place) : this.#control(shown, value, place);
    return this.#describe(shown, value, { place, nullable, control });
  }

  #describe(
    view: View,
    value: Json | undefined,
    { place, nullable, control }: { place: Place; nullable: boolean; control: Control },
  ): Field {
    const key = place.path.at(-1);
    return {
      path: place.path,
      pointer: pointerOf(place.path),
      label: textOf(view, 'title') ?? place.label ?? '',
      key: typeof key === 'string' ? key : null,
      description: textOf(view, 'description'),
      examples: listOf(view.examples)
        .map((example) => shownValue(example))
        .slice(0, 3),
      preset: view.default,
      required: place.required,
      value,
      readOnly: view.readOnly === true,
      nullable,
      siblings: place.siblings,
      control,
    };
  }

  #union(options: readonly UnionOption[], value: Json | undefined, place: Place): Control {
    const picked = this.#memory.chosen[pointerOf(place.path)];
    const chosen = picked !== undefined && picked < options.length ? picked : pickOption(options, value);
    const option = options[chosen];
    const body = option === undefined ? null : this.#describeBody(option.view, value, place);
    return { kind: 'union', options, chosen: option === undefined ? NO_OPTION : chosen, body };
  }

  #describeBody(view: View, value: Json | undefined, place: Place): Field {
    const control = this.#control(view, value, place);
    return this.#describe(view, value, { place, nullable: false, control });
  }

  #control(view: View, value: Json | undefined, place: Place): Control {
    if (view.const !== undefined) return constOf(view.const, value);
    const choices = choicesOf(view);
    if (choices !== null) return choiceOf(choices, value);
    const [kind, ...others] = kindsOf(view).filter((each) => each !== 'null');
    if (kind === undefined || others.length > 0 || hasHiddenParts(view, this.#reader))
      return { kind: 'json', view: null };
    const before = value === undefined || value === '' ? this.#memory.before(place.path) : undefined;
    const scalar = SCALARS[kind]?.(view, value, before);
    if (scalar !== undefined) return scalar;
    if (value === undefined || value === null) return { kind: 'absent', view };
    if (isObject(value) && kind === 'object') return this.#object(view, value, place);
    if (isArray(value) && kind === 'array') return this.#list(view, value, place);
    return { kind: 'json', view };
  }

  #object(view: View, value: Json, place: Place): Control {
    const properties = entriesOf(isObject(view.properties ?? null) ? (view.properties as View) : {});
    const named = properties.map(([key]) => key);
    const extra = isObject(value) ? entriesOf(value).filter(([key]) => !named.includes(key)) : [];
    // Nothing says what belongs into it.
    if (named.length === 0) return { kind: 'json', view: null };
    const required = listOf(view.required);
    const order = [...named, ...extra.map(([key]) => key)];
    const fieldAt = (key: string, schema: Json | undefined) =>
      this.field(schema, memberOf(value, key), {
        path: [...place.path, key],
        label: key,
        required: required.includes(key),
        siblings: order,
      });
    const fields = properties.map(([key, schema]) => fieldAt(key, schema));
    const other = isObject(view.additionalProperties ?? null) ? view.additionalProperties : undefined;
    const others = extra.map(([key]) => fieldAt(key, followsPattern(view, key) ? undefined : other));
    return { kind: 'object', order, fields: [...fields, ...others] };
  }

  #list(view: View, value: readonly Json[], place: Place): Control {
    const prefix = listOf(view.prefixItems);
    const schemaAt = (at: number): Json | undefined => prefix[at] ?? view.items;
    const next = schemaAt(value.length);
    if (prefix.length === 0 && view.items === undefined) return { kind: 'json', view: null };
    const entry = this.#reader.view(next);
    const isFull = value.length >= sizeOf(view.maxItems, Infinity) || next === false;
    const [kind, ...others] = entry === null || choicesOf(entry) !== null ? [] : kindsOf(entry);
    const items = value.map((each, at) =>
      this.field(schemaAt(at), each, {
        path: [...place.path, at],
        label: String(at + 1),
        required: true,
        siblings: [],
      }),
    );
    const plain = others.length === 0 && (kind === 'string' || kind === 'number') && prefix.length === 0 ? kind : null;
    return { kind: 'list', items, added: isFull ? null : (entry ?? {}), least: sizeOf(view.minItems, 0), plain };
  }
}

const sizeOf = (value: Json | undefined, otherwise: number): number =>
  value === undefined ? otherwise : Number(numberText(value));

/** A value in a hint: a text without its quotes, unless it looks like one of the others that way. */
export function shownValue(value: Json, others: readonly Json[] = []): string {
  const isAlike = (other: Json) => plainText(other) === plainText(value) && keyOf(other) !== keyOf(value);
  return others.some(isAlike) ? printJson(value, 0) : plainText(value);
}

const plainText = (value: Json): string => (typeof value === 'string' ? value : printJson(value, 0));

const constOf = (constant: Json, value: Json | undefined): Control => ({
  kind: 'const',
  value: constant,
  fits: value !== undefined && keyOf(value) === keyOf(constant),
});

function choiceOf(choices: readonly Choice[], value: Json | undefined): Control {
  const key = value === undefined ? null : keyOf(value);
  return { kind: 'choice', choices, chosen: choices.findIndex(({ json }) => keyOf(json) === key) };
}

/** Whether keywords add members or entries that its fields would not show. */
function hasHiddenParts(view: View, reader: SchemaReader): boolean {
  const named = isObject(view.properties ?? null) ? Object.keys(view.properties as View) : [];
  const shows = (schema: Json): boolean => {
    const part = reader.view(schema);
    const names = part !== null && isObject(part.properties ?? null) ? Object.keys(part.properties as View) : [];
    return names.every((name) => named.includes(name));
  };
  const conditional = [view.if, view.then, view.else].filter((schema) => isObject(schema ?? null)) as Json[];
  const dependent = isObject(view.dependentSchemas ?? null) ? Object.values(view.dependentSchemas as View) : [];
  const branches = [...listOf(view.oneOf), ...listOf(view.anyOf)];
  return ![...conditional, ...dependent, ...branches].every(shows);
}

type Scalar = (view: View, value: Json | undefined, before: Json | undefined) => Control;

const SCALARS: Partial<Record<JsonKind, Scalar>> = {
  string: textControl,
  number: (view, value) => ({
    kind: 'number',
    typed: typedOf(value),
    integer: listOf(view.type).includes('integer'),
    bounds: boundsOf(view),
  }),
  boolean: (_, value) => ({ kind: 'boolean', value: typeof value === 'boolean' ? value : null }),
};

/** The content of a field: a text as it is, anything else as JSON; empty where there is nothing. */
export function typedOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return kindOf(value) === 'number' ? numberText(value) : JSON.stringify(value);
}

const MODES: Partial<Record<string, 'email' | 'url'>> = {
  email: 'email',
  uri: 'url',
  'idn-email': 'email',
  iri: 'url',
};

function textControl(view: View, value: Json | undefined, before: Json | undefined): Control {
  const typed = typedOf(value);
  const format = textOf(view, 'format') ?? '';
  const date = dateControl(format, typed, typedOf(before));
  if (date !== null && (value === undefined || value === null || typeof value === 'string')) return date;
  const limit = sizeOf(view.maxLength, 0);
  const long = limit > LONG_TEXT || typed.includes('\n') || typed.length > LONG_TEXT;
  return { kind: 'text', typed, long, mode: MODES[format] ?? 'text' };
}

const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,3})?)?';
const ZONE = '(?:Z|[+-]\\d\\d:\\d\\d)';
const DATE = '\\d{4}-\\d\\d-\\d\\d';
const DATES: Partial<Record<string, { input: DateInput; form: RegExp; zone: string }>> = {
  date: { input: 'date', form: new RegExp(`^(${DATE})()$`), zone: '' },
  time: { input: 'time', form: new RegExp(`^(${TIME})(${ZONE})$`), zone: 'Z' },
  'date-time': { input: 'datetime-local', form: new RegExp(`^(${DATE}T${TIME})(${ZONE})$`), zone: 'Z' },
};

/** A date that the browser's own field can show; null for any other text, which stays as it is. One that is cleared keeps its offset. */
function dateControl(format: string, typed: string, before: string): Control | null {
  const date = DATES[format];
  if (date === undefined) return null;
  if (typed === '') return { kind: 'date', input: date.input, typed, zone: date.form.exec(before)?.[2] ?? date.zone };
  const [, shown, zone] = date.form.exec(typed) ?? [];
  const isReal = date.input === 'time' || startsWithDay(typed);
  return shown === undefined || !isReal ? null : { kind: 'date', input: date.input, typed: shown, zone: zone ?? '' };
}

/** The bounds of a number in words. */
function boundsOf(view: View): string | null {
  const words = (
    [
      ['minimum', '≥'],
      ['exclusiveMinimum', '>'],
      ['maximum', '≤'],
      ['exclusiveMaximum', '<'],
    ] as const
  ).flatMap(([name, sign]) => {
    const limit = view[name];
    return limit === undefined ? [] : [`${sign} ${numberText(limit)}`];
  });
  return words.length === 0 ? null : words.join(', ');
}
