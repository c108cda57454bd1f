// One form in use: the value being typed, its fields and faults, and every change that a field can make.
import { isArray, isObject, kindOf, parseJson, printJson } from '#lib/values/json/lossless.ts';
import { RawJson, type Json } from '@countersign/shared/json/json';
import { judgeAnswer } from './answer-check.ts';
import { messagesByField, type AnswerFault } from './answer-faults.ts';
import { fieldsOf, flatFields, type Chosen, type Field } from './fields.ts';
import { orderOf, valueAt, withEntries, withMember, withMoved, withoutValue, withValue, type Path } from './paths.ts';
import { addedValue, scaffoldOf } from './scaffold.ts';
import { kindsOf, memberOf, type View } from './schema-reader.ts';
import { entriesOfLines, writtenOf } from './typing.ts';

export interface FormSource {
  readonly schema: Json;
  /** The answer before the edit; undefined where there was none. */
  readonly original: Json | undefined;
  /** JSON text; empty while nothing is there. */
  readonly text: string;
  /** Where only a person's answer is expected: what is missing is no fault before it is sent. */
  readonly starts: boolean;
  readonly onwrite: (text: string) => void;
}

export class AnswerForm {
  #value: Json | undefined = $state.raw(undefined);
  #chosen: Chosen = $state.raw({});
  /** JSON that is being typed and cannot be parsed yet, by pointer. */
  #pending: Readonly<Record<string, { readonly path: Path; readonly text: string }>> = $state.raw({});
  /** The text cannot be parsed: only the JSON editor can show it. */
  broken = $state(false);
  /** Faults that the server found. */
  refused: readonly AnswerFault[] = $state.raw([]);
  /** It was sent once: what is missing is a fault from now on. */
  attempted = $state(false);

  readonly #source: FormSource;
  #written: string | null = null;
  /** What was there before a field became null or another option, to put it back. */
  #before: Record<string, Json> = {};

  constructor(source: FormSource) {
    this.#source = source;
    this.follow(source.text);
  }

  readonly root: Field = $derived.by(() => fieldsOf(this.#source.schema, this.#value, this.#chosen));
  readonly #fields = $derived(flatFields(this.root));
  readonly faults: readonly AnswerFault[] = $derived.by(() => this.#judge());
  readonly messages = $derived(
    messagesByField(this.faults, (pointer) => this.#fields.some((field) => field.pointer === pointer)),
  );

  get value(): Json | undefined {
    return this.#value;
  }

  /** Fields with a control of their own. */
  get size(): number {
    return this.#fields.length;
  }

  /** Takes a text that was changed elsewhere, such as a restored draft. */
  follow(text: string): void {
    if (text === this.#written) return;
    this.#written = text;
    this.#pending = {};
    this.broken = false;
    try {
      this.#value = text.trim() === '' ? this.#started() : parseJson(text);
    } catch {
      this.broken = true;
    }
  }

  /** Where a person writes the answer, the objects that must be there are there. */
  #started(): Json | undefined {
    return this.#source.starts ? scaffoldOf(this.#source.schema) : undefined;
  }

  messagesOf(field: Field): readonly string[] {
    const messages = this.messages[field.pointer] ?? [];
    const waits = this.#source.starts && !this.attempted;
    return waits && (field.value === undefined || field.value === '') ? [] : messages;
  }

  /** Whether the field, or anything in it, differs from the answer before the edit. */
  isTouched(field: Field): boolean {
    const before = valueAt(this.#source.original, field.path);
    if (field.pointer in this.#pending) return true;
    return textOf(before) !== textOf(field.value);
  }

  type(field: Field, typed: string): void {
    const value = writtenOf(field, typed);
    if (value === undefined) this.leaveOut(field);
    else this.set(field, value);
  }

  set(field: Field, value: Json): void {
    const order = orderOf(valueAt(this.#source.original, field.path.slice(0, -1)), field.siblings);
    this.#write(withMember(this.#value, { path: field.path, order }, value));
  }

  reset(field: Field): void {
    const before = valueAt(this.#source.original, field.path);
    this.#forget(field.pointer);
    if (before === undefined) this.leaveOut(field);
    else this.set(field, before);
  }

  /** Removes the member, or the whole answer. */
  leaveOut(field: Field): void {
    this.#forget(field.pointer);
    if (this.#value === undefined || field.value === undefined) return this.#write(this.#value);
    this.#write(withoutValue(this.#value, field.path));
  }

  add(field: Field, view: View): void {
    this.set(field, addedValue(view, this.#source.schema));
  }

  setNull(field: Field, isNull: boolean): void {
    const key = `null ${field.pointer}`;
    if (isNull) {
      if (field.value !== undefined) this.#before[key] = field.value;
      return this.set(field, null);
    }
    const before = this.#before[key];
    if (before !== undefined) this.set(field, before);
    else if (field.control.kind === 'absent') this.add(field, field.control.view);
    else if (field.control.kind === 'text') this.set(field, '');
    else this.leaveOut(field);
  }

  /** Another option of a union; members with the same name and kind stay, and the value before comes back with its option. */
  choose(field: Field, option: number): void {
    if (field.control.kind !== 'union') return;
    const view = field.control.options[option]?.view;
    if (view === undefined) return;
    const { pointer, value } = field;
    if (value !== undefined && value !== null) this.#before[`${field.control.chosen} ${pointer}`] = value;
    this.#forget(pointer);
    this.#chosen = { ...this.#chosen, [pointer]: option };
    const before = this.#before[`${option} ${pointer}`];
    this.set(field, before ?? carried(value, addedValue(view, this.#source.schema), view));
  }

  addEntry(field: Field): void {
    if (field.control.kind !== 'list' || field.control.added === null) return;
    this.#write(withEntries(this.#value, field.path, [addedValue(field.control.added, this.#source.schema)]));
  }

  /** Pasted lines: the first replaces the entry at the index where that is empty, the others come behind it. */
  pasteEntries(field: Field, at: number, text: string): boolean {
    if (field.control.kind !== 'list' || field.control.plain === null) return false;
    const entries = entriesOfLines(text, field.control.plain);
    const list = valueAt(this.#value, field.path);
    if (entries.length < 2 || list === undefined || !isArray(list)) return false;
    const empty = list[at] === '';
    const more = entries.length - (empty ? 1 : 0);
    this.#renumber(field, (index) => (index > at ? index + more : empty && index === at ? null : index));
    this.#write(withValue(this.#value, field.path, list.toSpliced(empty ? at : at + 1, empty ? 1 : 0, ...entries)));
    return true;
  }

  removeEntry(field: Field, at: number): void {
    if (this.#value === undefined) return;
    this.#renumber(field, (index) => (index === at ? null : index > at ? index - 1 : index));
    this.#write(withoutValue(this.#value, [...field.path, at]));
  }

  move(field: Field, from: number, to: number): void {
    if (this.#value === undefined) return;
    this.#renumber(field, (index) => movedIndex(index, from, to));
    this.#write(withMoved(this.#value, field.path, [from, to]));
  }

  /** The text of a place that is edited as JSON. */
  jsonOf(field: Field): string {
    const pending = this.#pending[field.pointer];
    if (pending !== undefined) return pending.text;
    return field.value === undefined ? '' : printJson(field.value);
  }

  /** Whether that text is no JSON. */
  isPending = (field: Field): boolean => field.pointer in this.#pending;

  writeJson(field: Field, text: string): void {
    this.#forget(field.pointer);
    if (text.trim() === '' && typeof field.path.at(-1) !== 'number') return this.leaveOut(field);
    try {
      this.set(field, parseJson(text));
    } catch {
      this.#pending = { ...this.#pending, [field.pointer]: { path: field.path, text } };
      this.#write(this.#value);
    }
  }

  /** What was typed and chosen at the pointer, and below it, is replaced. */
  #forget(pointer: string): void {
    const stays = ([key]: [string, unknown]) => key !== pointer && !key.startsWith(`${pointer}/`);
    this.#pending = Object.fromEntries(Object.entries(this.#pending).filter(stays));
    this.#chosen = Object.fromEntries(Object.entries(this.#chosen).filter(stays));
  }

  /** The entries of a list move: what belongs to one goes with it, or away with it where `to` says null. */
  #renumber({ pointer, path }: Field, to: (index: number) => number | null): void {
    const target = (key: string) => renumbered(key, pointer, to);
    this.#pending = Object.fromEntries(
      Object.entries(this.#pending).flatMap(([key, typed]) => {
        const now = target(key);
        if (now === null || now === key) return now === null ? [] : [[key, typed]];
        const index = to(Number(typed.path[path.length]));
        return [[now, { ...typed, path: typed.path.with(path.length, index ?? 0) }]];
      }),
    );
    this.#chosen = Object.fromEntries(
      Object.entries(this.#chosen).flatMap(([key, option]) => {
        const now = target(key);
        return now === null ? [] : [[now, option]];
      }),
    );
    this.#before = Object.fromEntries(
      Object.entries(this.#before).flatMap(([key, value]) => {
        const space = key.indexOf(' ') + 1;
        const now = target(key.slice(space));
        return now === null ? [] : [[key.slice(0, space) + now, value]];
      }),
    );
  }

  #judge(): readonly AnswerFault[] {
    const { schema } = this.#source;
    const missing = { pointer: '', message: 'is missing', keyword: 'required' };
    const own = this.#value === undefined ? [missing] : judgeAnswer(schema, this.#value);
    return [...own, ...this.refused.filter((fault) => !own.some(({ pointer }) => pointer === fault.pointer))];
  }

  /** What is no JSON yet is written as it is typed: the draft has it, and the editor says where it breaks. */
  #write(value: Json | undefined): void {
    this.#value = value;
    this.refused = [];
    const whole = Object.values(this.#pending).reduce<Json | undefined>(
      (all, { path, text }) => withValue(all, path, new RawJson(text) as unknown as Json),
      value,
    );
    this.#written = whole === undefined ? '' : printJson(whole);
    this.#source.onwrite(this.#written);
  }
}

/** The pointer after the entries of a list have moved; null where its entry is gone. */
function renumbered(pointer: string, list: string, to: (index: number) => number | null): string | null {
  const [, digits, rest = ''] = /^(\d+)(.*)$/s.exec(pointer.slice(list.length + 1)) ?? [];
  if (!pointer.startsWith(`${list}/`) || digits === undefined) return pointer;
  const index = to(Number(digits));
  return index === null ? null : `${list}/${index}${rest}`;
}

/** Where the entry at `index` is once the one at `from` was moved to `to`. */
function movedIndex(index: number, from: number, to: number): number {
  if (index === from) return to;
  if (index > from && index <= to) return index - 1;
  return index < from && index >= to ? index + 1 : index;
}

const textOf = (value: Json | undefined): string | null => (value === undefined ? null : printJson(value, 0));

/** The members of the value before that the new option has too, in the same kind. */
function carried(before: Json | undefined, added: Json, view: View): Json {
  if (before === undefined || !isObject(before) || !isObject(added) || !isObject(view.properties ?? null)) return added;
  return Object.keys(view.properties as View).reduce<Json>((value, key) => {
    const [old, schema] = [memberOf(before, key), memberOf(view.properties, key)];
    if (old === undefined || memberOf(added, key) !== undefined || !isObject(schema ?? null)) return value;
    return kindsOf(schema as View).includes(kindOf(old)) ? withValue(value, [key], old) : value;
  }, added);
}
