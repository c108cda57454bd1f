// ST1: merges the draft with what somebody else saved meanwhile. Changes of one side are merged, conflicts are asked.
import { SETTINGS, type Setting } from '@countersign/shared/settings';
import { markedText, mergeLines } from './merge-lines.ts';
import { changedFields, FIELDS, sameValue, type Draft, type FieldName } from './settings-draft.ts';

export type Answer = 'theirs' | 'mine' | 'both';
type Value = Draft[FieldName];

/** A field that both changed. Their value is in the project itself, the present one in the form. */
export interface Conflict {
  /** The value when the typing began. */
  was: Value;
  /** The typed value, retained while another answer is selected. */
  mine: Value;
  /** Both merged, as edited by hand, retained while another answer is selected. */
  both: Value | null;
  answer: Answer | null;
}
export type Conflicts = Partial<Record<FieldName, Conflict>>;

/** The form, the project it was typed against, and the conflicts. */
export interface Typed {
  before: Draft;
  draft: Draft;
  conflicts: Conflicts;
}

/** Both values combined, by the merge that the setting's declaration names; null where one must be chosen. */
const MERGES = {
  choose: null,
  flags: ({ was, mine }, theirs) => mergeList({ was: listOf(was), mine: listOf(mine), theirs: listOf(theirs) }, asFlag),
  entries: ({ was, mine }, theirs) =>
    mergeList({ was: listOf(was), mine: listOf(mine), theirs: listOf(theirs) }, exactly),
  lines: ({ was, mine }, theirs) => markedText(mergeLines(String(was), String(mine), String(theirs))),
} as const satisfies Record<Setting['merge'], ((sides: Sides, theirs: Value) => Value) | null>;
type Sides = Pick<Conflict, 'was' | 'mine'>;

const listOf = (value: Value): string[] => (Array.isArray(value) ? value : []);
const mergeOf = (field: FieldName): ((sides: Sides, theirs: Value) => Value) | null => MERGES[SETTINGS[field].merge];

/** The possible answers of a field. */
export const answersOf = (field: FieldName): Answer[] =>
  mergeOf(field) === null ? ['theirs', 'mine'] : ['theirs', 'mine', 'both'];

/** The fields with a conflict, in the order of the page. */
export const conflictingFields = (conflicts: Conflicts): FieldName[] => FIELDS.filter((field) => conflicts[field]);

/** The answer that the present form represents: typing after taking theirs makes it the user's own again. */
export function answerOf({ before, draft, conflicts }: Typed, field: FieldName): Answer | null {
  const conflict = conflicts[field];
  if (conflict === undefined || conflict.answer === 'both') return conflict?.answer ?? null;
  if (sameValue(field, draft[field], before[field])) return 'theirs';
  return conflict.answer === 'theirs' ? 'mine' : conflict.answer;
}

/** The typed value of a conflicting field, for any answer. */
export function mineOf(typed: Typed, field: FieldName): Value {
  const kept = typed.conflicts[field]?.mine ?? typed.draft[field];
  return countsAsMine(answerOf(typed, field)) ? typed.draft[field] : kept;
}

/** An unanswered field shows the typed value. */
const countsAsMine = (answer: Answer | null) => answer === null || answer === 'mine';

/** Answers one field. The form's present value is saved in the conflict: selecting that answer again restores it. */
export function choose(typed: Typed, field: FieldName, answer: Answer): Typed {
  const conflict = typed.conflicts[field];
  if (conflict === undefined) return typed;
  const current = answerOf(typed, field);
  const mine = mineOf(typed, field);
  // Typing after taking theirs changes their value.
  const was = current === 'mine' && conflict.answer === 'theirs' ? typed.before[field] : conflict.was;
  const unchanged = sameValue(field, mine, conflict.mine);
  // Edited since they were merged: then they are merged again.
  const both = current === 'both' ? typed.draft[field] : unchanged ? conflict.both : null;
  const fresh = mergeOf(field)?.({ was, mine }, typed.before[field]) ?? mine;
  const values = { theirs: typed.before[field], mine, both: both ?? fresh };
  const kept: Conflict = { was, mine, both, answer };
  return {
    ...typed,
    draft: withField(typed.draft, field, values[answer]),
    conflicts: { ...typed.conflicts, [field]: kept },
  };
}

const withField = (draft: Draft, field: FieldName, value: Value): Draft => ({ ...draft, [field]: copyOf(value) });
const copyOf = (value: Value): Value => (Array.isArray(value) ? [...value] : value);

export interface Rebased extends Typed {
  /** Fields the other person changed and you had not touched. */
  autoMerged: FieldName[];
}

/** Three-way merge: untouched fields take the new value, typed ones stay, and conflicts are asked once. */
export function rebase(typed: Typed, now: Draft): Rebased {
  const theirs = changedFields(typed.before, now);
  const mine = changedFields(typed.before, typed.draft);
  let draft = now;
  const conflicts: Conflicts = {};
  for (const field of FIELDS) {
    const conflict = conflictAfter(typed, now, field);
    if (conflict !== null) conflicts[field] = conflict;
    const asked = conflict !== null && theirs.includes(field);
    if (asked) draft = withField(draft, field, conflict.mine);
    else if (mine.includes(field)) draft = withField(draft, field, typed.draft[field]);
  }
  const autoMerged = theirs.filter((field) => !conflicts[field] && !mine.includes(field));
  return { before: now, draft, conflicts, autoMerged };
}

/**
 * The conflict of one field after another save; null when there is none (any more). An answer to their previous value no longer
 * counts.
 */
function conflictAfter(typed: Typed, now: Draft, field: FieldName): Conflict | null {
  const { before, draft, conflicts } = typed;
  const known = conflicts[field];
  const same = (a: Value, b: Value) => sameValue(field, a, b);
  if (known !== undefined && same(before[field], now[field])) return known;
  const answer = answerOf(typed, field);
  // A merge, or a value typed after taking theirs, contains their previous value: only what they changed since is new to it.
  const typedOn = known?.answer === 'theirs' && answer === 'mine';
  const includesTheirs = known === undefined || answer === 'both' || typedOn;
  const sides = includesTheirs ? { was: before[field], mine: draft[field] } : known;
  const mine = answer === 'both' ? draft[field] : mineOf(typed, field);
  if (same(mine, now[field]) || (known === undefined && same(sides.was, mine))) return null;
  if (same(sides.was, now[field]) && answer !== 'theirs') return null;
  return { was: sides.was, mine, both: null, answer: null };
}

/** The identity of an entry: flags are compared as routing compares them (RT1). */
type KeyOf = (entry: string) => string;

const exactly: KeyOf = (entry) => entry.trim();
export const asFlag: KeyOf = (entry) => entry.trim().normalize('NFC').toLowerCase();

interface ListSides {
  was: readonly string[];
  mine: readonly string[];
  theirs: readonly string[];
}

/** Three-way merge of two lists without duplicates. Where both changed the order, mine counts. */
export function mergeList({ was, mine, theirs }: ListSides, keyOf: KeyOf = exactly): string[] {
  const [old, my, their] = [was, mine, theirs].map((list) => new Set(list.map(keyOf)));
  const has = (set: Set<string> | undefined, entry: string) => set?.has(keyOf(entry)) === true;
  const stays = (entry: string) => (has(old, entry) ? has(my, entry) && has(their, entry) : true);
  const moved = !sameOrder(was, mine, keyOf);
  const [first, second] = moved ? [mine, theirs] : [theirs, mine];
  const merged = unlike(first.filter(stays), keyOf);
  insertMissing(merged, second.filter(stays), keyOf);
  return merged;
}

/** Whether the common entries of both lists have the same order. */
function sameOrder(one: readonly string[], other: readonly string[], keyOf: KeyOf): boolean {
  const [a, b] = [one.map(keyOf), other.map(keyOf)];
  const common = a.filter((key) => b.includes(key));
  return b.filter((key) => a.includes(key)).every((key, index) => key === common[index]);
}

function unlike(entries: readonly string[], keyOf: KeyOf): string[] {
  const keys = entries.map(keyOf);
  return entries.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

/**
 * Inserts entries missing in `merged` after their predecessor, and after what the other side inserted there: that is saved
 * already.
 */
function insertMissing(merged: string[], others: readonly string[], keyOf: KeyOf): void {
  const keys = new Set(others.map(keyOf));
  const isForeign = (entry: string | undefined) => entry !== undefined && !keys.has(keyOf(entry));
  let after = -1;
  for (const entry of others) {
    const at = merged.findIndex((known) => keyOf(known) === keyOf(entry));
    if (at === -1) {
      while (isForeign(merged[after + 1])) after += 1;
      merged.splice(after + 1, 0, entry);
    }
    after = at === -1 ? after + 1 : at;
  }
}
