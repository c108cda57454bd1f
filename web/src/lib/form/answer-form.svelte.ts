// One form in use: the value being typed, its fields and faults, and every change that a field can make.
import { isArray, isObject, kindOf, parseJson, printJson } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { judgeAnswer } from './answer-check.ts';
import { messagesByField, type AnswerFault } from './answer-faults.ts';
import { fieldsOf, flatFields, NO_OPTION, type Chosen, type Field, type FormMemory } from './fields.ts';
import {
  orderOf,
  pointerOf,
  valueAt,
  withEntries,
  withMember,
  withMoved,
  withoutValue,
  withValue,
  type Path,
} from './paths.ts';
import { addedValue, scaffoldOf } from './scaffold.ts';
import { isWithin, withPending, withPendingFaults, type PendingText } from './pending.ts';
import { kindsOf, memberOf, type View } from './schema-reader.ts';
import { entriesOfLines, writtenOf } from './typing.ts';

export interface FormSource {
  readonly schema: Json;
  /** The schema was inferred from the answer: it says how its fields look, and judges nothing. */
  readonly inferred?: boolean;
  /** The answer before the edit; undefined where there was none. */
  readonly original: Json | undefined;
  /** JSON text; empty while nothing is there. */
  readonly text: string;
  /** What is typed in its fields and is not yet a value. The text has it too, as texts. */
  readonly pending: readonly PendingText[];
  /** Where only a person's answer is expected: what is missing is no fault before it is sent. */
  readonly starts: boolean;
  readonly onwrite: (text: string, pending: readonly PendingText[]) => void;
}

export class AnswerForm {
  #value: Json | undefined = $state.raw(undefined);
  #chosen: Chosen = $state.raw({});
  /** JSON that is being typed and cannot be parsed yet, and parts of dates, by pointer. */
  #typing: Readonly<Record<string, Typing>> = $state.raw({});
  /** The text cannot be parsed: only the JSON editor can show it. */
  broken = $state(false);
  /** Faults that the server found. */
  refused: readonly AnswerFault[] = $state.raw([]);
  /** It was sent once: what is missing is a fault from now on. */
  attempted = $state(false);

  readonly #memory: FormMemory = $derived({
    chosen: this.#chosen,
    before: (path: Path) => this.#before[`${CLEARED} ${pointerOf(path)}`] ?? valueAt(this.#source.original, path),
  });
  readonly #source: FormSource;
  #written: string | null = null;
  /** What was there before a field became null or another option, to put it back. */
  #before: Record<string, Json> = {};

  constructor(source: FormSource) {
    this.#source = source;
    this.follow(source.text, source.pending);
  }

  readonly root: Field = $derived.by(() => fieldsOf(this.#source.schema, this.#value, this.#memory));
  readonly #fields = $derived(flatFields(this.root));
  /** What keeps the answer from being sent, even where its schema allows it. */
  readonly pending: readonly PendingText[] = $derived.by(() => pendingOf(this.root, this.#typing));
  readonly faults: readonly AnswerFault[] = $derived.by(() => this.#judge());
  readonly messages = $derived(
    messagesByField(this.faults, (pointer) => this.#fields.some((field) => field.pointer === pointer), this.#value),
  );

  get value(): Json | undefined {
    return this.#value;
  }

  /** Whether nothing is known of what is required. */
  get inferred(): boolean {
    return this.#source.inferred === true;
  }

  /** Fields with a control of their own. */
  get size(): number {
    return this.#fields.length;
  }

  /** Takes a text that was changed elsewhere, such as a restored draft. */
  follow(text: string, pending: readonly PendingText[]): void {
    if (text === this.#written) return;
    this.#written = text;
    // A number counts by its field. Where its field is not one for numbers, its text is edited as JSON.
    this.#typing = Object.fromEntries(
      pending.map(({ pointer, text: typed, expects }) => [
        pointer,
        { text: typed, expects: expects === 'number' ? 'json' : expects },
      ]),
    );
    // As a text it may fit an option that nobody chose.
    this.#chosen = Object.fromEntries(pending.map(({ pointer }) => [pointer, NO_OPTION]));
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
    const isEmpty = (field.value === undefined || field.value === '') && !this.isPending(field);
    return waits && isEmpty ? [] : messages;
  }

  /** Whether the field, or anything in it, differs from the answer before the edit. */
  isTouched(field: Field): boolean {
    const before = valueAt(this.#source.original, field.path);
    if (this.isPending(field)) return true;
    return textOf(before) !== textOf(field.value);
  }

  type(field: Field, typed: string): void {
    const value = writtenOf(field, typed);
    this.#keepOption(field);
    if (typed === '') this.#keepCleared(field);
    if (value !== undefined) return this.set(field, value);
    this.#typing = without(this.#typing, field.pointer);
    this.#remove(field);
  }

  /** A part of a date is typed, and no whole one. */
  typePart(field: Field): void {
    if (field.control.kind !== 'date') return;
    this.#keepOption(field);
    this.#keepCleared(field);
    this.#typing = { ...this.#typing, [field.pointer]: { text: '', expects: field.control.input } };
    this.#write(this.#with(field, ''));
  }

  #keepCleared({ pointer, value }: Field): void {
    if (value !== undefined && value !== '') this.#before[`${CLEARED} ${pointer}`] = value;
  }

  /** An option stays chosen while its value is typed: on the way to `1.5`, `1.` is a text. */
  #keepOption({ pointer }: Field): void {
    const control = this.#fields.find((each) => each.pointer === pointer)?.control;
    if (control?.kind === 'union' && control.chosen >= 0) this.#chosen = { ...this.#chosen, [pointer]: control.chosen };
  }

  set(field: Field, value: Json): void {
    this.#typing = without(this.#typing, field.pointer);
    this.#write(this.#with(field, value));
  }

  #with({ path, siblings }: Field, value: Json): Json {
    const order = orderOf(valueAt(this.#source.original, path.slice(0, -1)), siblings);
    return withMember(this.#value, { path, order }, value);
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
    this.#remove(field);
  }

  #remove(field: Field): void {
    if (this.#value === undefined || field.value === undefined) return this.#write(this.#value);
    this.#write(withoutValue(this.#value, field.path));
  }

  add(field: Field, view: View): void {
    this.set(field, addedValue(view, this.#source.schema));
  }

  setNull(field: Field, isNull: boolean): void {
    const key = `null ${field.pointer}`;
    if (isNull) {
      this.#keep(key, field);
      return this.set(field, null);
    }
    const before = this.#before[key];
    if (before !== undefined) this.set(field, before);
    else if (field.control.kind === 'absent') this.add(field, field.control.view);
    else if (field.control.kind === 'text') this.set(field, '');
    else this.leaveOut(field);
  }

  /** Keeps a value to put it back. Of a part of a date nothing is known that could be. */
  #keep(key: string, { pointer, value }: Field): void {
    const typing = this.#typing[pointer];
    if (value !== undefined && value !== null && typing?.text !== '') this.#before[key] = value;
  }

  /** Another option of a union; members with the same name and kind stay, and the value before comes back with its option. */
  choose(field: Field, option: number): void {
    if (field.control.kind !== 'union') return;
    const view = field.control.options[option]?.view;
    if (view === undefined) return;
    const { pointer, value } = field;
    this.#keep(`${field.control.chosen} ${pointer}`, field);
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
    const typed = this.#typing[field.pointer];
    if (typed !== undefined) return typed.text;
    return field.value === undefined ? '' : printJson(field.value);
  }

  /** Text typed into a choice that matches none of its options; undefined where nothing was typed. */
  searchOf = ({ pointer }: Field): string | undefined => this.#typing[pointer]?.text;

  /** Keeps a text that matches none of the choices, beside the choice before it; an empty one is forgotten. */
  typeChoice(field: Field, text: string): void {
    this.#keepOption(field);
    const { [field.pointer]: _, ...others } = this.#typing;
    this.#typing = text.trim() === '' ? others : { ...others, [field.pointer]: { text, expects: 'choice' } };
    this.#write(this.#value);
  }

  /** Whether what is typed there is no value of its kind yet. */
  isPending = (field: Field): boolean => this.pending.some(({ pointer }) => pointer === field.pointer);

  writeJson(field: Field, text: string): void {
    this.#forget(field.pointer);
    if (text.trim() === '' && typeof field.path.at(-1) !== 'number') return this.leaveOut(field);
    try {
      this.set(field, parseJson(text));
    } catch {
      this.#typing = { ...this.#typing, [field.pointer]: { text, expects: 'json' } };
      this.#write(this.#value);
    }
  }

  /** What was typed and chosen at the pointer, and below it, is replaced. */
  #forget(pointer: string): void {
    this.#typing = without(this.#typing, pointer);
    this.#chosen = without(this.#chosen, pointer);
  }

  /** The entries of a list move: what belongs to one goes with it, or away with it where `to` says null. */
  #renumber({ pointer }: Field, to: (index: number) => number | null): void {
    const at = (key: string) => renumbered(key, pointer, to);
    this.#typing = withKeys(this.#typing, at);
    this.#chosen = withKeys(this.#chosen, at);
    this.#before = withKeys(this.#before, (key) => {
      const space = key.indexOf(' ') + 1;
      const now = at(key.slice(space));
      return now === null ? null : key.slice(0, space) + now;
    });
  }

  #judge(): readonly AnswerFault[] {
    const { schema } = this.#source;
    const missing = { pointer: '', message: 'is missing', keyword: 'required' };
    const judged = this.inferred ? [] : this.#value === undefined ? [missing] : judgeAnswer(schema, this.#value);
    const pointers = this.#fields.map((field) => field.pointer);
    const position = ({ pointer }: AnswerFault) => pointers.findLastIndex((each) => isWithin(pointer, each));
    const own = withPendingFaults(judged, this.pending).sort((one, other) => position(one) - position(other));
    return [...own, ...this.refused.filter((fault) => !own.some(({ pointer }) => pointer === fault.pointer))];
  }

  /** What is not a value yet is written as a text, so that the draft has it. */
  #write(value: Json | undefined): void {
    this.#value = value;
    this.refused = [];
    const whole = withPending(value, this.pending);
    this.#written = whole === undefined ? '' : printJson(whole);
    this.#source.onwrite(this.#written, this.pending);
  }
}

/** What is typed at a place so far. */
type Typing = Pick<PendingText, 'text' | 'expects'>;

/** In front of a pointer: the value before the field was cleared. */
const CLEARED = 'cleared';

/**
 * JSON that cannot be parsed, parts of dates, searches that found no choice, and invalid numbers. A union may take the text of
 * a number as another option.
 */
function pendingOf(root: Field, typing: Readonly<Record<string, Typing>>): PendingText[] {
  const numbers = flatFields(root).flatMap((field): PendingText[] => {
    const { kind } = field.control.kind === 'union' ? (field.control.body?.control ?? field.control) : field.control;
    const { pointer, value } = field;
    return kind === 'number' && typeof value === 'string' ? [{ pointer, text: value, expects: 'number' }] : [];
  });
  const others = Object.entries(typing).map(([pointer, typed]): PendingText => ({ pointer, ...typed }));
  return [...others.filter((each) => !numbers.some(({ pointer }) => pointer === each.pointer)), ...numbers];
}

/** The record without what belongs to the pointer or below it. */
const without = <T>(record: Readonly<Record<string, T>>, pointer: string): Record<string, T> =>
  withKeys(record, (key) => (isWithin(key, pointer) ? null : key));

/** The record under other keys; null leaves one out. */
const withKeys = <T>(record: Readonly<Record<string, T>>, to: (key: string) => string | null): Record<string, T> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([key, value]): [string, T][] => {
      const now = to(key);
      return now === null ? [] : [[now, value]];
    }),
  );

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
