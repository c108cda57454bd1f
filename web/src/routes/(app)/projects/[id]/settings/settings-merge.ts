// ST1: what was typed, laid over what somebody else saved meanwhile. What one side changed is merged, what both changed is asked.
import { markedText, mergeLines } from './merge-lines.ts';
import { asFlag, exactly, mergeList } from './merge-list.ts';
import { changedFields, FIELDS, sameValue, type Draft, type FieldName } from './settings-form.ts';

export type Answer = 'theirs' | 'mine' | 'both';
type Value = Draft[FieldName];

/** A field that both changed. What they saved is the project itself, what counts now is the form. */
export interface Conflict {
  /** What it was when the typing began. */
  was: Value;
  /** What was typed, kept while another answer stands. */
  mine: Value;
  /** Both put together, as edited by hand, kept while another answer stands. */
  both: Value | null;
  answer: Answer | null;
}
export type Conflicts = Partial<Record<FieldName, Conflict>>;

/** The form, the project it was typed against, and what has been asked. */
export interface Typed {
  before: Draft;
  draft: Draft;
  conflicts: Conflicts;
}

/** Fields where both can be had at once. */
const MERGED = {
  escalate_flags: ({ was, mine }: Sides, theirs: Value) =>
    mergeList({ was: listOf(was), mine: listOf(mine), theirs: listOf(theirs) }, asFlag),
  reasons: ({ was, mine }: Sides, theirs: Value) =>
    mergeList({ was: listOf(was), mine: listOf(mine), theirs: listOf(theirs) }, exactly),
  guidelines: ({ was, mine }: Sides, theirs: Value) =>
    markedText(mergeLines(String(was), String(mine), String(theirs))),
} as const satisfies Partial<Record<FieldName, (sides: Sides, theirs: Value) => Value>>;
type Sides = Pick<Conflict, 'was' | 'mine'>;

const listOf = (value: Value): string[] => (Array.isArray(value) ? value : []);
const canMerge = (field: FieldName): field is keyof typeof MERGED => field in MERGED;

/** The answers a field can be given. */
export const answersOf = (field: FieldName): Answer[] =>
  canMerge(field) ? ['theirs', 'mine', 'both'] : ['theirs', 'mine'];

/** The fields that were asked, in the order of the page. */
export const conflictingFields = (conflicts: Conflicts): FieldName[] => FIELDS.filter((field) => conflicts[field]);

/** What the form as it stands amounts to: typing on after taking theirs makes it one's own again. */
export function answerOf({ before, draft, conflicts }: Typed, field: FieldName): Answer | null {
  const conflict = conflicts[field];
  if (conflict === undefined || conflict.answer === 'both') return conflict?.answer ?? null;
  if (sameValue(field, draft[field], before[field])) return 'theirs';
  return conflict.answer === 'theirs' ? 'mine' : conflict.answer;
}

/** What was typed of a contested field, whichever answer stands. */
export function mineOf(typed: Typed, field: FieldName): Value {
  const kept = typed.conflicts[field]?.mine ?? typed.draft[field];
  return countsAsMine(answerOf(typed, field)) ? typed.draft[field] : kept;
}

/** An unanswered field shows what was typed. */
const countsAsMine = (answer: Answer | null) => answer === null || answer === 'mine';

/** Answers one field. What stood in the form until now is kept with the question: choosing again brings it back. */
export function choose(typed: Typed, field: FieldName, answer: Answer): Typed {
  const conflict = typed.conflicts[field];
  if (conflict === undefined) return typed;
  const current = answerOf(typed, field);
  const mine = mineOf(typed, field);
  // Typed on after taking theirs, it is their value that was changed.
  const was = current === 'mine' && conflict.answer === 'theirs' ? typed.before[field] : conflict.was;
  const unchanged = sameValue(field, mine, conflict.mine);
  // Typed on since they were put together: then it is done anew.
  const both = current === 'both' ? typed.draft[field] : unchanged ? conflict.both : null;
  const fresh = canMerge(field) ? MERGED[field]({ was, mine }, typed.before[field]) : mine;
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

/** Three-way: untouched fields take the new value, typed ones stay as typed, and where both changed it is asked, once. */
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

/** The question about one field after another save; null when there is none (any more). An answer to what they saved before counts no longer. */
function conflictAfter(typed: Typed, now: Draft, field: FieldName): Conflict | null {
  const { before, draft, conflicts } = typed;
  const known = conflicts[field];
  const same = (a: Value, b: Value) => sameValue(field, a, b);
  if (known !== undefined && same(before[field], now[field])) return known;
  const answer = answerOf(typed, field);
  // What was put together, or typed on after taking theirs, holds what they saved before: only what they changed since is new to it.
  const typedOn = known?.answer === 'theirs' && answer === 'mine';
  const includesTheirs = known === undefined || answer === 'both' || typedOn;
  const sides = includesTheirs ? { was: before[field], mine: draft[field] } : known;
  const mine = answer === 'both' ? draft[field] : mineOf(typed, field);
  if (same(mine, now[field]) || (known === undefined && same(sides.was, mine))) return null;
  if (same(sides.was, now[field]) && answer !== 'theirs') return null;
  return { was: sides.was, mine, both: null, answer: null };
}
