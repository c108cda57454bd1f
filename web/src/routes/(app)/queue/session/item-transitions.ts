// The transitions of the open item: shown, claimed, edited and lost, by answers and by events in any order (QU4).
import { ApiProblem } from '#lib/api/client.ts';
import { sameNotes, type Notes } from '#lib/drafts/drafts.ts';
import type { Granted } from '@countersign/shared/schemas/queue';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemDetail, ItemRow } from '@countersign/shared/schemas/parts/item';
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
  type Grant,
  type ItemState,
  type OpenState,
  type Prompt,
  type ReviewState,
  type Transition,
} from './review-state.ts';

/** A state that a transition may change, with the effects it asks for; it never leaves the reducer. */
export type WorkingState = { -readonly [K in keyof ReviewState]: ReviewState[K] } & {
  readonly effects: Effect[];
  readonly now: number;
};

const NONE: Claim = { kind: 'none' };

/** Begins to show an item. Work on the same item continues; that on another one is closed. */
function begin(
  working: WorkingState,
  id: string,
): { before: OpenState | null; base: { id: string; prompt: Prompt; newest: number } } {
  const { item } = working;
  const before = item.at !== 'empty' && item.id === id ? item : null;
  if (before === null) saveEditor(working);
  working.visit += 1;
  working.effects.push({ kind: 'history', switchTo: id }, { kind: 'restoreNotes', id });
  working.effects.push({ kind: 'blankSoon', visit: working.visit }, { kind: 'readHistory' });
  const prompt = before === null ? EMPTY_PROMPT : { ...closedPrompt(before.prompt), persisted: true };
  return { before, base: { id, prompt, newest: before?.newest ?? 0 } };
}

/** Reads an item and shows it, without claiming it. Content that is here already stays visible meanwhile. */
export function show(working: WorkingState, id: string, purpose: ReadPurpose): void {
  const previous = detailOf(working.item);
  const { before, base } = begin(working, id);
  if (before !== null && isShown(before))
    working.item = settled({ ...base, detail: before.detail }, claimOf(before), editOf(before));
  else if (before?.at === 'unreadable') working.item = { at: 'unreadable', ...base, error: null, claim: before.claim };
  else working.item = { at: 'loading', ...base, previous };
  read(working, id, purpose);
}

/** Shows prefetched content while its claim is requested. */
export function preview(working: WorkingState, detail: ItemDetail | null): void {
  if (detail === null) return;
  closeInputs(working);
  const { base } = begin(working, detail.id);
  working.item = { at: 'claiming', ...base, detail };
  working.effects.push({ kind: 'follow', id: detail.id, how: 'advanced' });
}

/** The server gave this tab the claim. */
export function take(working: WorkingState, granted: Granted, how: Transition): void {
  const { item: detail, expires_at } = granted;
  const { id } = detail;
  const alreadyShown = isPending(working.item) && idOf(working.item) === id;
  releasePrevious(working, id);
  closeInputs(working);
  const { base } = begin(working, id);
  const newest = Math.max(base.newest, working.command.at === 'running' ? (working.command.missed[id] ?? 0) : 0);
  working.item = { at: 'claimed', ...base, newest, detail, grant: grantFrom(granted, working.now) };
  if (detail.version < newest) read(working, id, { for: 'refresh' });
  working.effects.push({ kind: 'put', row: detail, what: 'taken', leaseEnds: expires_at }, { kind: 'resumeDraft', id });
  working.effects.push({ kind: 'checkUndone', detail });
  if (!alreadyShown) working.effects.push({ kind: 'follow', id, how });
}

/** Restores an item whose decision was refused, with the claim it had; what arrived meanwhile is read. */
export function restore(working: WorkingState, detail: ItemDetail, grant: Grant): void {
  const wasLost = idOf(working.item) === detail.id && claimOf(working.item).kind === 'lost';
  const { base } = begin(working, detail.id);
  working.item = settled({ ...base, detail }, { kind: 'held', grant }, null);
  // An event said so while the decision was in flight.
  if (wasLost) loseClaim(working);
  read(working, detail.id, { for: 'refresh' });
}

/** A lease as the server has it now. */
const grantFrom = ({ fence, expires_at }: Granted, now: number): Grant => {
  const expiresAt = Date.parse(expires_at);
  return { fence, expiresAt, leaseMs: Math.max(1, expiresAt - now) };
};

/** The lease of the open item was renewed. */
export function renew(working: WorkingState, granted: Granted): void {
  const { item } = working;
  if (item.at === 'empty') return;
  const claim: Claim = { kind: 'held', grant: grantFrom(granted, working.now) };
  working.item = settled({ ...item, detail: granted.item }, claim, editOf(item));
  working.effects.push({ kind: 'put', row: granted.item, what: 'taken', leaseEnds: granted.expires_at });
}

/** DL1: the deadline of the item gave it to supervisors between these two states; nothing else changes what it says. */
const passesOn = (before: ItemRow, after: Pick<ItemRow, 'status' | 'deadline'>): boolean =>
  before.deadline?.on_deadline === 'escalate' &&
  after.deadline?.on_deadline === 'expire' &&
  after.status === 'escalated';

/** This tab's fence is invalid now, however the claim ended; the time it ended stays visible. */
export function loseClaim(working: WorkingState, passedOn = false): void {
  const { item } = working;
  const claim = claimOf(item);
  if (claim.kind === 'none' || item.at === 'empty') return;
  const grant = { ...claim.grant, expiresAt: Math.min(claim.grant.expiresAt, working.now) };
  if (item.at === 'deciding') working.item = { ...item, grant, lost: true };
  else setClaim(working, { kind: 'lost', grant, ...(isPassedOn(claim, passedOn) && { passedOn: true }) });
}

/** The reason stays when a later answer says again that the claim is lost. */
const isPassedOn = (claim: Claim, now: boolean): boolean => now || (claim.kind === 'lost' && claim.passedOn === true);

/** The claim ended with a decision or a release of the user. */
export const endClaim = (working: WorkingState): void => setClaim(working, NONE);

function setClaim(working: WorkingState, claim: Claim): void {
  const { item } = working;
  if (item.at === 'unreadable' || item.at === 'editing') working.item = { ...item, claim };
  // A decision in flight, or a claim that is requested, ends with its own answer.
  else if (isShown(item) && !isPending(item)) working.item = settled(item, claim, null);
}

/**
 * This tab's own decision was accepted; after an escalation or a return the item waits for others. An item that does not stay open
 * is left as it looks, so that nothing flashes before the next.
 */
export function decided(working: WorkingState, detail: ItemDetail, stays: boolean): void {
  const { item } = working;
  if (item.at === 'empty' || item.id !== detail.id) return;
  if (isShown(item)) {
    // The event of the user's own move may have arrived before its answer, and looked like somebody else's.
    const ended = settled(item, NONE, editOf(item));
    working.item = stays
      ? ended
      : { at: 'claiming', id: item.id, prompt: item.prompt, newest: item.newest, detail: item.detail };
  } else if (item.at === 'unreadable') working.item = { ...item, claim: NONE };
  answered(working, detail);
}

/** An answer may arrive later than events of the item: nothing newer is overwritten, and missing content is read. */
export function answered(working: WorkingState, detail: ItemDetail): void {
  const { item } = working;
  if (item.at === 'empty' || item.id !== detail.id) return;
  if (!isShown(item)) working.item = settled({ ...item, detail }, claimOf(item), null);
  else if (item.detail.version <= detail.version) working.item = { ...item, detail };
  if (detail.version < item.newest) read(working, detail.id, { for: 'refresh' });
  working.effects.push({ kind: 'readHistory' });
}

export function clear(working: WorkingState): void {
  closeInputs(working);
  working.visit += 1;
  working.item = { at: 'empty' };
  working.effects.push({ kind: 'history', switchTo: null }, { kind: 'follow', id: null, how: 'opened' });
}

/** The claim of the next item is not requested after all: the one shown can be read. */
export function stopClaiming(working: WorkingState): void {
  if (isPending(working.item) && isShown(working.item))
    working.item = settled(working.item, claimOf(working.item), null);
}

export function read(working: WorkingState, id: string, purpose: ReadPurpose): void {
  working.effects.push({ kind: 'read', id, visit: working.visit, purpose, again: false });
}

/** A read was answered. Returns whether it has ended: one that is older than an event is requested once more. */
export function onRead(working: WorkingState, { id, visit, purpose, again, detail }: EventOf<'read'>): boolean {
  const { item } = working;
  const current = visit === working.visit && item.at !== 'empty' && item.id === id;
  if (!current) return true;
  if (purpose.for === 'refresh') {
    refreshed(working, detail);
    return true;
  }
  if (!again && detail.version < Math.max(item.newest, versionOf(item))) {
    working.effects.push({ kind: 'read', id, visit, purpose, again: true });
    return false;
  }
  working.effects.push({ kind: 'forgetSent', detail });
  refreshed(working, detail);
  return true;
}

/** A read failed. A removed member has no claim and no access; any other failure of a refresh changes nothing. */
export function onReadFailure(working: WorkingState, { id, visit, purpose, error }: EventOf<'unread'>): void {
  const { item } = working;
  if (visit !== working.visit || item.at === 'empty' || item.id !== id) return;
  if (purpose.for === 'refresh' && !(error instanceof ApiProblem && error.status === 404)) return;
  const claim = purpose.for === 'refresh' ? NONE : claimOf(item);
  if (purpose.for === 'refresh') closeInputs(working);
  else saveEditor(working);
  const { prompt, newest } = working.item.at === 'empty' ? item : working.item;
  working.item = { at: 'unreadable', id, prompt, newest, error, claim };
}

/** The version of the content that is shown. */
const versionOf = (item: ItemState): number => (isShown(item) ? item.detail.version : 0);

/** The content was read. */
function refreshed(working: WorkingState, detail: ItemDetail): void {
  const { item } = working;
  if (item.at === 'empty') return;
  if (detail.version < versionOf(item)) return;
  const passedOn = isShown(item) && passesOn(item.detail, detail);
  if (isShown(item)) working.item = { ...item, detail };
  else working.item = settled({ ...item, detail }, claimOf(item), null);
  if (detail.decision?.reviewer_id === working.me) ownDecision(working);
  // Someone else may have held the claim meanwhile.
  else if (detail.claim?.user_id !== working.me) loseClaim(working, passedOn);
  changed(working, detail);
  working.effects.push({ kind: 'checkUndone', detail }, { kind: 'readHistory' });
}

/** The claim ended with a decision of the user, possibly of another tab or one whose answer was lost. */
function ownDecision(working: WorkingState): void {
  if (working.item.at === 'deciding') working.item = { ...working.item, lost: false };
  else endClaim(working);
}

/** Events that do not say all that the page shows. */
const READ_AGAIN: ReadonlySet<DomainEvent['type']> = new Set<DomainEvent['type']>([
  'item.decided',
  'item.finalized',
  'item.withdrawn',
  'item.expired',
  'item.extended',
  'decision.revised',
]);

/** An event of the item arrived. Only events newer than the shown content count. */
export function receive(working: WorkingState, event: DomainEvent): void {
  if (!('version' in event)) return;
  if (working.item.at === 'empty' || event.item_id !== working.item.id)
    return note(working, event.item_id, event.version);
  working.item = { ...working.item, newest: Math.max(working.item.newest, event.version) };
  if (!isShown(working.item)) return;
  working.effects.push({ kind: 'readHistory' });
  if (event.version <= working.item.detail.version) return;
  if (READ_AGAIN.has(event.type)) {
    // An item that ended without a decision says so when it is read again: until then its claim only seems to have expired.
    const decided = event.type === 'item.decided' || event.type === 'item.finalized';
    if (event.actor.id !== working.me && decided) loseClaim(working);
    read(working, working.item.id, { for: 'refresh' });
  }
  const { version } = event;
  if (event.type === 'item.claimed') {
    const { actor, expires_at } = event;
    change(working, { claim: { user_id: actor.id ?? '', name: actor.name, expires_at }, version });
  } else if ('item' in event) change(working, event.item);
  else if (event.type.startsWith('claim.')) change(working, { claim: null, version });
}

/** The running command may bring this item, in an older version. */
function note(working: WorkingState, id: string, version: number): void {
  const { command } = working;
  if (command.at !== 'running') return;
  working.command = { ...command, missed: { ...command.missed, [id]: Math.max(version, command.missed[id] ?? 0) } };
}

function change(working: WorkingState, fields: Partial<ItemDetail>): void {
  const { item } = working;
  if (!isShown(item)) return;
  const detail = { ...item.detail, decision: null, decided_by: null, undo_until: null, ...fields };
  working.item = { ...item, detail };
  if (fields.claim?.user_id !== working.me) loseClaim(working, passesOn(item.detail, detail));
  changed(working, detail);
}

/** An event of the open item arrived, or it was read again. */
function changed(working: WorkingState, detail: ItemDetail): void {
  const edit = editOf(working.item);
  if (edit !== null) working.effects.push({ kind: 'saveEdit', edit });
  working.effects.push({ kind: 'confirmLate', detail });
  const open = detail.status === 'queued' || detail.status === 'escalated';
  const theirs = detail.claim !== null && detail.claim.user_id !== working.me;
  if (open && !theirs) return;
  // Somebody else holds the item by now, so it cannot be edited.
  closeEditor(working);
  closePrompt(working);
}

/** Closes the editor; the draft stays. */
export function closeEditor(working: WorkingState): void {
  const { item } = working;
  saveEditor(working);
  if (item.at === 'editing') working.item = settled(item, item.claim, null);
}

function saveEditor(working: WorkingState): void {
  const edit = editOf(working.item);
  if (edit !== null) working.effects.push({ kind: 'saveEdit', edit });
}

export function closePrompt(working: WorkingState): void {
  const { item } = working;
  if (item.at !== 'empty') working.item = { ...item, prompt: closedPrompt(item.prompt) };
}

export function dismissFailure(working: WorkingState): void {
  if (working.command.at === 'failed') working.command = { at: 'idle' };
}

export function closeInputs(working: WorkingState): void {
  closeEditor(working);
  closePrompt(working);
  dismissFailure(working);
}

/** Changes the reason prompt; a changed text is saved at once. */
export function prompt(working: WorkingState, fields: Partial<Prompt>): void {
  const { item } = working;
  if (item.at === 'empty') return;
  const { notes: before } = item.prompt;
  working.item = { ...item, prompt: { ...item.prompt, ...fields } };
  const notes: Notes = fields.notes ?? before;
  if (!sameNotes(notes, before)) working.effects.push({ kind: 'saveNotes', id: item.id, notes });
}

/** Notes that were saved elsewhere, or restored with their item. Open fields and the selected reason stay as they are. */
export function replaceNotes(working: WorkingState, id: string, notes: Notes): void {
  const { item } = working;
  if (item.at === 'empty' || item.id !== id || isPromptOpen(item.prompt)) return;
  working.item = { ...item, prompt: { ...item.prompt, notes } };
}

function releasePrevious(working: WorkingState, next: string): void {
  const { item } = working;
  saveEditor(working);
  const claim = claimOf(item);
  if (claim.kind === 'none' || item.at === 'empty' || item.id === next) return;
  working.effects.push({ kind: 'releaseUntouched', id: item.id, fence: claim.grant.fence });
}
