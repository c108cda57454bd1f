// The transitions of the open item: shown, claimed, edited and lost, by answers and by events in any order (QU4).
import { ApiProblem } from '#lib/api/client.ts';
import type { Notes } from '#lib/drafts/drafts.ts';
import type { Granted } from '@countersign/shared/api/queue';
import type { DomainEvent } from '@countersign/shared/events';
import type { ItemDetail } from '@countersign/shared/item';
import type { Effect, EventOf, ReadPurpose } from './review-events.ts';
import {
  claimOf,
  closedPrompt,
  detailOf,
  editOf,
  EMPTY_PROMPT,
  idOf,
  isPending,
  isPromptOpen,
  isShown,
  settled,
  type Claim,
  type ItemState,
  type OpenState,
  type Prompt,
  type ReviewState,
  type Transition,
} from './review-state.ts';
import type { Grant } from './review-rules.ts';

/** A state that a transition may change, with the effects it asks for; it never leaves the reducer. */
export type Draft = { -readonly [K in keyof ReviewState]: ReviewState[K] } & {
  readonly effects: Effect[];
  readonly now: number;
};

const NONE: Claim = { kind: 'none' };

/** Begins to show an item. Work on the same item continues; that on another one is closed. */
function begin(
  draft: Draft,
  id: string,
): { before: OpenState | null; base: { id: string; prompt: Prompt; newest: number } } {
  const { item } = draft;
  const before = item.at !== 'empty' && item.id === id ? item : null;
  if (before === null) saveEditor(draft);
  draft.visit += 1;
  draft.effects.push({ kind: 'history', switchTo: id }, { kind: 'restoreTexts', id });
  draft.effects.push({ kind: 'blankSoon', visit: draft.visit }, { kind: 'readHistory' });
  const prompt = before === null ? EMPTY_PROMPT : { ...closedPrompt(before.prompt), persisted: true };
  return { before, base: { id, prompt, newest: before?.newest ?? 0 } };
}

/** Reads an item and shows it, without claiming it. Content that is here already stays visible meanwhile. */
export function show(draft: Draft, id: string, purpose: ReadPurpose): void {
  const previous = detailOf(draft.item);
  const { before, base } = begin(draft, id);
  if (before !== null && isShown(before))
    draft.item = settled({ ...base, detail: before.detail }, claimOf(before), editOf(before));
  else if (before?.at === 'unreadable') draft.item = { at: 'unreadable', ...base, error: null, claim: before.claim };
  else draft.item = { at: 'loading', ...base, previous };
  read(draft, id, purpose);
}

/** Shows prefetched content while its claim is requested. */
export function preview(draft: Draft, detail: ItemDetail | null): void {
  if (detail === null) return;
  closeInputs(draft);
  const { base } = begin(draft, detail.id);
  draft.item = { at: 'claiming', ...base, detail };
  draft.effects.push({ kind: 'follow', id: detail.id, how: 'advanced' });
}

/** The server gave this tab the claim. */
export function take(draft: Draft, granted: Granted, how: Transition): void {
  const { item: detail, expires_at } = granted;
  const { id } = detail;
  const alreadyShown = isPending(draft.item) && idOf(draft.item) === id;
  releasePrevious(draft, id);
  closeInputs(draft);
  const { base } = begin(draft, id);
  const newest = Math.max(base.newest, draft.command.at === 'running' ? (draft.command.missed[id] ?? 0) : 0);
  draft.item = { at: 'claimed', ...base, newest, detail, grant: grantFrom(granted, draft.now) };
  if (detail.version < newest) read(draft, id, { for: 'refresh' });
  draft.effects.push({ kind: 'put', row: detail, what: 'taken', leaseEnds: expires_at }, { kind: 'resumeDraft', id });
  if (!alreadyShown) draft.effects.push({ kind: 'follow', id, how });
}

/** Restores an item whose decision was refused, with the claim it had; what arrived meanwhile is read. */
export function restore(draft: Draft, detail: ItemDetail, grant: Grant): void {
  const wasLost = idOf(draft.item) === detail.id && claimOf(draft.item).kind === 'lost';
  const { base } = begin(draft, detail.id);
  draft.item = settled({ ...base, detail }, { kind: 'held', grant }, null);
  // An event said so while the decision was in flight.
  if (wasLost) loseClaim(draft);
  read(draft, detail.id, { for: 'refresh' });
}

/** A lease as the server has it now. */
const grantFrom = ({ fence, expires_at }: Granted, now: number): Grant => {
  const expiresAt = Date.parse(expires_at);
  return { fence, expiresAt, leaseMs: Math.max(1, expiresAt - now) };
};

/** The lease of the open item was renewed. */
export function renew(draft: Draft, granted: Granted): void {
  const { item } = draft;
  if (item.at === 'empty') return;
  const claim: Claim = { kind: 'held', grant: grantFrom(granted, draft.now) };
  draft.item = settled({ ...item, detail: granted.item }, claim, editOf(item));
  draft.effects.push({ kind: 'put', row: granted.item, what: 'taken', leaseEnds: granted.expires_at });
}

/** This tab's fence is invalid now, however the claim ended; the time it ended stays visible. */
export function loseClaim(draft: Draft): void {
  const { item } = draft;
  const claim = claimOf(item);
  if (claim.kind === 'none' || item.at === 'empty') return;
  const grant = { ...claim.grant, expiresAt: Math.min(claim.grant.expiresAt, draft.now) };
  if (item.at === 'deciding') draft.item = { ...item, grant, lost: true };
  else setClaim(draft, { kind: 'lost', grant });
}

/** The claim ended with a decision or a release of the user. */
export const endClaim = (draft: Draft): void => setClaim(draft, NONE);

function setClaim(draft: Draft, claim: Claim): void {
  const { item } = draft;
  if (item.at === 'unreadable' || item.at === 'editing') draft.item = { ...item, claim };
  // A decision in flight, or a claim that is requested, ends with its own answer.
  else if (isShown(item) && !isPending(item)) draft.item = settled(item, claim, null);
}

/**
 * This tab's own decision was accepted; after an escalation or a return the item waits for others. An item that does not stay open
 * is left as it looks, so that nothing flashes before the next.
 */
export function decided(draft: Draft, detail: ItemDetail, stays: boolean): void {
  const { item } = draft;
  if (item.at === 'empty' || item.id !== detail.id) return;
  if (isShown(item)) {
    // The event of the user's own move may have arrived before its answer, and looked like somebody else's.
    const ended = settled(item, NONE, editOf(item));
    draft.item = stays
      ? ended
      : { at: 'claiming', id: item.id, prompt: item.prompt, newest: item.newest, detail: item.detail };
  } else if (item.at === 'unreadable') draft.item = { ...item, claim: NONE };
  answered(draft, detail);
}

/** An answer may arrive later than events of the item: nothing newer is overwritten, and missing content is read. */
export function answered(draft: Draft, detail: ItemDetail): void {
  const { item } = draft;
  if (item.at === 'empty' || item.id !== detail.id) return;
  if (!isShown(item)) draft.item = settled({ ...item, detail }, claimOf(item), null);
  else if (item.detail.version <= detail.version) draft.item = { ...item, detail };
  if (detail.version < item.newest) read(draft, detail.id, { for: 'refresh' });
  draft.effects.push({ kind: 'readHistory' });
}

export function clear(draft: Draft): void {
  closeInputs(draft);
  draft.visit += 1;
  draft.item = { at: 'empty' };
  draft.effects.push({ kind: 'history', switchTo: null }, { kind: 'follow', id: null, how: 'opened' });
}

/** The claim of the next item is not requested after all: the one shown can be read. */
export function stopClaiming(draft: Draft): void {
  if (isPending(draft.item) && isShown(draft.item)) draft.item = settled(draft.item, claimOf(draft.item), null);
}

export function read(draft: Draft, id: string, purpose: ReadPurpose): void {
  draft.effects.push({ kind: 'read', id, visit: draft.visit, purpose, again: false });
}

/** A read was answered. Returns whether it has ended: one that is older than an event is requested once more. */
export function haveRead(draft: Draft, { id, visit, purpose, again, detail }: EventOf<'read'>): boolean {
  const { item } = draft;
  const current = visit === draft.visit && item.at !== 'empty' && item.id === id;
  if (!current) return true;
  if (purpose.for === 'refresh') {
    refreshed(draft, detail);
    return true;
  }
  if (!again && detail.version < Math.max(item.newest, versionOf(item))) {
    draft.effects.push({ kind: 'read', id, visit, purpose, again: true });
    return false;
  }
  draft.effects.push({ kind: 'forgetSent', detail });
  refreshed(draft, detail);
  return true;
}

/** A read failed. A removed member has no claim and no access; any other failure of a refresh changes nothing. */
export function haveNotRead(draft: Draft, { id, visit, purpose, error }: EventOf<'unread'>): void {
  const { item } = draft;
  if (visit !== draft.visit || item.at === 'empty' || item.id !== id) return;
  if (purpose.for === 'refresh' && !(error instanceof ApiProblem && error.status === 404)) return;
  const claim = purpose.for === 'refresh' ? NONE : claimOf(item);
  if (purpose.for === 'refresh') closeInputs(draft);
  else saveEditor(draft);
  const { prompt, newest } = draft.item.at === 'empty' ? item : draft.item;
  draft.item = { at: 'unreadable', id, prompt, newest, error, claim };
}

/** The version of the content that is shown. */
const versionOf = (item: ItemState): number => (isShown(item) ? item.detail.version : 0);

/** The content was read. */
function refreshed(draft: Draft, detail: ItemDetail): void {
  const { item } = draft;
  if (item.at === 'empty') return;
  if (detail.version < versionOf(item)) return;
  if (isShown(item)) draft.item = { ...item, detail };
  else draft.item = settled({ ...item, detail }, claimOf(item), null);
  if (detail.decision?.reviewer_id === draft.me) ownDecision(draft);
  // Someone else may have held the claim meanwhile.
  else if (detail.claim?.user_id !== draft.me) loseClaim(draft);
  changed(draft, detail);
  draft.effects.push({ kind: 'readHistory' });
}

/** The claim ended with a decision of the user, possibly of another tab or one whose answer was lost. */
function ownDecision(draft: Draft): void {
  if (draft.item.at === 'deciding') draft.item = { ...draft.item, lost: false };
  else endClaim(draft);
}

/** An event of the item arrived. Only events newer than the shown content count. */
export function receive(draft: Draft, event: DomainEvent): void {
  if (!('version' in event)) return;
  if (draft.item.at === 'empty' || event.item_id !== draft.item.id) return note(draft, event.item_id, event.version);
  draft.item = { ...draft.item, newest: Math.max(draft.item.newest, event.version) };
  if (!isShown(draft.item)) return;
  draft.effects.push({ kind: 'readHistory' });
  if (event.version <= draft.item.detail.version) return;
  if (event.type === 'item.decided' || event.type === 'item.finalized') {
    if (event.actor.id !== draft.me) loseClaim(draft);
    read(draft, draft.item.id, { for: 'refresh' });
  }
  const { version } = event;
  if (event.type === 'item.claimed') {
    const { actor, expires_at } = event;
    change(draft, { claim: { user_id: actor.id ?? '', name: actor.name, expires_at }, version });
  } else if ('item' in event) change(draft, event.item);
  else if (event.type.startsWith('claim.')) change(draft, { claim: null, version });
}

/** The running command may bring this item, in an older version. */
function note(draft: Draft, id: string, version: number): void {
  const { command } = draft;
  if (command.at !== 'running') return;
  draft.command = { ...command, missed: { ...command.missed, [id]: Math.max(version, command.missed[id] ?? 0) } };
}

function change(draft: Draft, fields: Partial<ItemDetail>): void {
  const { item } = draft;
  if (!isShown(item)) return;
  const detail = { ...item.detail, decision: null, decided_by: null, undo_until: null, ...fields };
  draft.item = { ...item, detail };
  if (fields.claim?.user_id !== draft.me) loseClaim(draft);
  changed(draft, detail);
}

/** An event of the open item arrived, or it was read again. */
function changed(draft: Draft, detail: ItemDetail): void {
  const edit = editOf(draft.item);
  if (edit !== null) draft.effects.push({ kind: 'saveEdit', edit });
  draft.effects.push({ kind: 'confirmLate', detail });
  const open = detail.status === 'queued' || detail.status === 'escalated';
  const theirs = detail.claim !== null && detail.claim.user_id !== draft.me;
  if (open && !theirs) return;
  // Somebody else holds the item by now, so it cannot be edited.
  closeEditor(draft);
  closePrompt(draft);
}

/** Closes the editor; the draft stays. */
export function closeEditor(draft: Draft): void {
  const { item } = draft;
  saveEditor(draft);
  if (item.at === 'editing') draft.item = settled(item, item.claim, null);
}

function saveEditor(draft: Draft): void {
  const edit = editOf(draft.item);
  if (edit !== null) draft.effects.push({ kind: 'saveEdit', edit });
}

export function closePrompt(draft: Draft): void {
  const { item } = draft;
  if (item.at !== 'empty') draft.item = { ...item, prompt: closedPrompt(item.prompt) };
}

export function dismissFailure(draft: Draft): void {
  if (draft.command.at === 'failed') draft.command = { at: 'idle' };
}

export function closeInputs(draft: Draft): void {
  closeEditor(draft);
  closePrompt(draft);
  dismissFailure(draft);
}

/** Changes the reason prompt; a changed text is saved at once. */
export function prompt(draft: Draft, fields: Partial<Prompt>): void {
  const { item } = draft;
  if (item.at === 'empty') return;
  const { written } = item.prompt;
  draft.item = { ...item, prompt: { ...item.prompt, ...fields } };
  const words: Notes = fields.written ?? written;
  if (words.note !== written.note || words.own !== written.own)
    draft.effects.push({ kind: 'saveNotes', id: item.id, words });
}

/** Texts that were saved elsewhere, or restored with their item. Open fields and the selected reason stay as they are. */
export function follow(draft: Draft, id: string, written: Notes): void {
  const { item } = draft;
  if (item.at === 'empty' || item.id !== id || isPromptOpen(item.prompt)) return;
  draft.item = { ...item, prompt: { ...item.prompt, written } };
}

function releasePrevious(draft: Draft, next: string): void {
  const { item } = draft;
  saveEditor(draft);
  const claim = claimOf(item);
  if (claim.kind === 'none' || item.at === 'empty' || item.id === next) return;
  draft.effects.push({ kind: 'releaseUntouched', id: item.id, fence: claim.grant.fence });
}
