// The review session as a pure function: state and event in, state and effects out.
import { withNote } from './decision-sender.ts';
import {
  advance,
  decide,
  dropWaiting,
  forgetUnreachable,
  haveAnswer,
  haveRefusal,
  haveReleased,
  haveReread,
  haveUndone,
  run,
} from './command-transitions.ts';
import {
  answered,
  clear,
  closeEditor,
  closeInputs,
  closePrompt,
  dismissFailure,
  follow,
  haveNotRead,
  haveRead,
  loseClaim,
  preview,
  prompt,
  read,
  receive,
  renew,
  show,
  type Draft,
} from './item-transitions.ts';
import type { Effect, EventOf, ReadPurpose, ReviewEvent } from './review-events.ts';
import { shouldRenew } from './review-rules.ts';
import {
  ALLOWED,
  claimOf,
  commandOf,
  editOf,
  grantOf,
  idOf,
  isCurrentLease,
  isPending,
  isShown,
  settled,
  verdictOf,
  type Job,
  type ReviewState,
  type SessionCommand,
} from './review-state.ts';

type Transitions = { [K in ReviewEvent['kind']]: (draft: Draft, event: EventOf<K>) => void };

/** A command that this state refuses has no effect; its caller is told. */
function guard(draft: Draft, command: SessionCommand, caller: number | null): boolean {
  if (verdictOf(draft, command) !== 'refused') return true;
  if (caller !== null) draft.effects.push({ kind: 'finish', caller, result: false });
  return false;
}

/** A command on the open item. */
const onItem =
  (command: SessionCommand, jobOf: (draft: Draft, id: string, caller: number) => Job | null) =>
  (draft: Draft, { caller }: { caller: number }): void => {
    if (!guard(draft, command, caller)) return;
    const id = idOf(draft.item);
    const job = id === null ? null : jobOf(draft, id, caller);
    if (job !== null) run(draft, job);
    else draft.effects.push({ kind: 'finish', caller, result: false });
  };

/** A command on the claim of this tab. */
const onClaim = (kind: 'skip' | 'giveBack') =>
  onItem(kind, (draft, id, caller) => {
    const grant = grantOf(draft.item);
    return grant && { kind, id, fence: grant.fence, caller };
  });

const COMMANDS = {
  peek: (draft, { id, caller }) => peekAt(draft, id, { for: 'peek', caller }),
  open: (draft, { id, caller, held, onlost }) => {
    const waited = draft.command.at === 'running';
    // Nothing is held while a next item is claimed: the user sees the requested item at once, and holds it a moment later.
    if (waited && isPending(draft.item) && idOf(draft.item) !== id) peekAt(draft, id, { for: 'behind' });
    run(draft, { kind: 'open', id, caller, held, onlost, waited });
  },
  takeOver: onItem('takeOver', (_, id, caller) => ({ kind: 'takeOver', id, caller })),
  reopen: onItem('reopen', (_, id, caller) => ({ kind: 'reopen', id, caller })),
  next: (draft, { caller }) => {
    if (guard(draft, 'next', caller)) run(draft, { kind: 'next', shown: idOf(draft.item), caller });
  },
  accept: (draft, { caller, next }) => {
    const id = idOf(draft.item);
    if (!guard(draft, 'accept', caller) || id === null) return;
    preview(draft, next);
    advance(draft, id, caller);
  },
  decide: startDecision,
  skip: onClaim('skip'),
  giveBack: onClaim('giveBack'),
  undo: (draft, { recent, caller }) =>
    run(draft, { kind: 'undo', recent, caller, waited: draft.command.at === 'running', sent: false }),
  extend: onItem('extend', (draft, id, caller) => {
    const grant = grantOf(draft.item);
    if (grant !== null && grant.expiresAt > draft.now) return { kind: 'extend', id, fence: grant.fence, caller };
    return { kind: 'open', id, caller, waited: false, held: false, onlost: () => undefined };
  }),
  close: (draft) => {
    draft.moves += 1;
    dropWaiting(draft);
    clear(draft);
  },
  retry: (draft, { job }) => {
    // Only the last failure can be tried again, and once.
    if (draft.command.at !== 'failed' || draft.command.retry !== job) return;
    if (job.kind === 'decide') draft.effects.push({ kind: 'decideAgain', decision: job.decision });
    else run(draft, job);
  },
  dismiss: dismissFailure,
} satisfies Partial<Transitions>;

const INPUTS = {
  startEdit: (draft) => {
    const { item } = draft;
    if (!guard(draft, 'edit', null) || !isShown(item)) return;
    closePrompt(draft);
    // The user turned to another way: the command that failed is sent from there.
    dismissFailure(draft);
    draft.effects.push({ kind: 'openEditor', detail: item.detail, edit: editOf(item), note: item.prompt.written.note });
  },
  editorOpened: (draft, { id, edit, moved }) => {
    const { item } = draft;
    if (!isShown(item) || item.id !== id || !(ALLOWED[item.at].includes('edit') || item.at === 'editing')) return;
    draft.item = settled(item, claimOf(item), edit);
    // The editor has its own note: the text typed before moves there.
    if (moved) prompt(draft, { written: { ...item.prompt.written, note: '' } });
    closePrompt(draft);
  },
  stopEdit: (draft, { carried }) => {
    const { item } = draft;
    if (item.at !== 'editing') return;
    closeEditor(draft);
    dismissFailure(draft);
    if (carried === '') return;
    // Where no answer was typed, the note is sent with any decision.
    const note = [item.prompt.written.note, carried].filter(Boolean).join('\n');
    prompt(draft, { written: { ...item.prompt.written, note } });
    closePrompt(draft);
    draft.effects.push({ kind: 'emptyNote', edit: item.edit });
  },
  ask: (draft, { action }) => prompt(draft, { action, fault: null, ...fields(draft, 'own', null) }),
  pick: (draft, { reason }) => prompt(draft, { picked: reason }),
  fault: (draft, { fault }) => prompt(draft, { fault }),
  own: (draft, { value }) => prompt(draft, fields(draft, 'own', value)),
  note: (draft, { value }) => prompt(draft, { fault: null, ...fields(draft, 'note', value) }),
  openNote: (draft) => {
    const { item } = draft;
    if (item.at === 'empty' || !guard(draft, 'note', null)) return;
    prompt(draft, { fault: null, ...fields(draft, 'note', item.prompt.written.note) });
  },
  clearPrompt: closePrompt,
  texts: (draft, { id, written }) => follow(draft, id, written),
  saved: (draft, { id, persisted }) => {
    if (idOf(draft.item) === id) prompt(draft, { persisted });
  },
  draftsChanged: (draft, { id, written }) => {
    if (!isShown(draft.item) || draft.item.id !== id) return;
    draft.draftsRevision += 1;
    const edit = editOf(draft.item);
    if (edit !== null) draft.effects.push({ kind: 'refreshOtherDrafts', edit });
    follow(draft, id, written);
  },
} satisfies Partial<Transitions>;

const HAPPENINGS = {
  answered: (draft, { job, answer }) => haveAnswer(draft, job, answer),
  refused: (draft, { job, error }) => haveRefusal(draft, job, error),
  released: (draft, { id }) => haveReleased(draft, id),
  undone: (draft, { caller }) => haveUndone(draft, caller),
  read: (draft, event) => {
    if (haveRead(draft, event)) endRead(draft, event.id, event.purpose);
  },
  unread: (draft, event) => {
    haveNotRead(draft, event);
    endRead(draft, event.id, event.purpose);
  },
  blank: (draft, { visit }) => {
    const { item } = draft;
    if (visit === draft.visit && item.at === 'loading') draft.item = { ...item, previous: null };
  },
  received: (draft, { event }) => receive(draft, event),
  reopened: (draft, { detail }) => answered(draft, detail),
  resync: (draft) => {
    forgetUnreachable(draft);
    const id = idOf(draft.item);
    if (id !== null) read(draft, id, { for: 'refresh' });
  },
  heartbeat: sendHeartbeat,
  renewed: (draft, { granted }) => {
    draft.renewing = false;
    // The state shown by a command since then stays: the next heartbeat follows soon.
    if (isIdle(draft) && isCurrentLease(draft.item, granted)) renew(draft, granted);
  },
  notRenewed: (draft, { id, grant, refused }) => {
    draft.renewing = false;
    // A refusal proves the fence invalid, regardless of events, and it is not sent again.
    if (!refused || idOf(draft.item) !== id || grantOf(draft.item) !== grant) return;
    loseClaim(draft);
    read(draft, id, { for: 'refresh' });
  },
  confirmedLate: dismissFailure,
} satisfies Partial<Transitions>;

const TRANSITIONS: Transitions = { ...COMMANDS, ...INPUTS, ...HAPPENINGS };

/** The next state, and what the driver must do. Pure: the same state, event and time always give the same result. */
export function reduce(
  state: ReviewState,
  event: ReviewEvent,
  now: number,
): { state: ReviewState; effects: readonly Effect[] } {
  const draft: Draft = { ...state, effects: [], now };
  // The table pairs each kind with its own handler; the compiler cannot follow the pairing through an index.
  (TRANSITIONS[event.kind] as (draft: Draft, event: ReviewEvent) => void)(draft, event);
  const { effects, now: _, ...next } = draft;
  return { state: next, effects };
}

const isIdle = ({ command, item }: Draft): boolean => command.at !== 'running' && !isPending(item);

/** Shows an item at the user's request: what waited, and what was typed into, belongs to the item before. */
function peekAt(draft: Draft, id: string, purpose: ReadPurpose): void {
  draft.moves += 1;
  dropWaiting(draft);
  closeInputs(draft);
  draft.effects.push({ kind: 'follow', id, how: 'opened' });
  show(draft, id, purpose);
}

/** Work on an item the user already holds continues: it is claimed again. */
function endRead(draft: Draft, id: string, purpose: ReadPurpose): void {
  if (purpose.for === 'reread') haveReread(draft);
  if (purpose.for !== 'peek') return;
  const { item } = draft;
  const { caller } = purpose;
  // A decision in flight ends the claim.
  const own = isShown(item) && !isPending(item) && item.id === id && item.detail.claim?.user_id === draft.me;
  const waited = draft.command.at === 'running';
  if (own) run(draft, { kind: 'open', id, caller, waited, held: true, onlost: () => undefined });
  else draft.effects.push({ kind: 'finish', caller, result: false });
}

/** The decision with everything typed so far. It is shown at once, and the prefetched next item with it. */
function startDecision(draft: Draft, event: EventOf<'decide'>): void {
  const { action, words, draft: saved, flow, next, caller } = event;
  const { item } = draft;
  const grant = grantOf(item);
  if (!guard(draft, commandOf(action), caller)) return;
  if (grant === null || !isShown(item)) return void draft.effects.push({ kind: 'finish', caller, result: false });
  const {
    detail,
    prompt: { written },
  } = item;
  const request = { detail, fence: grant.fence, action, words: withNote(words, written.note), draft: saved, written };
  const shown = flow && next !== null ? next.id : detail.id;
  const decision = { request, words, grant, edit: editOf(item), shown, flow };
  decide(draft, { kind: 'decide', decision, caller }, flow ? next : null);
}

/** The heartbeat pauses while a command runs. Its failures show as a lease that runs down. */
function sendHeartbeat(draft: Draft, { visible, inputAt }: EventOf<'heartbeat'>): void {
  const { item, now } = draft;
  const grant = grantOf(item);
  if (item.at === 'empty' || grant === null || draft.renewing || !isIdle(draft)) return;
  if (!shouldRenew(grant, { now, visible, inputAt })) return;
  draft.renewing = true;
  draft.effects.push({ kind: 'renew', id: item.id, grant });
}

/** Opens, types into or closes one field of the reason prompt. Opening the custom reason restores what was typed there before. */
function fields(draft: Draft, field: 'own' | 'note', value: string | null) {
  if (draft.item.at === 'empty') return {};
  const { openFields, written } = draft.item.prompt;
  const open = { openFields: { ...openFields, [field]: value !== null } };
  const restores = field === 'own' && !openFields.own && (value === '' || written.own !== '');
  if (value === null || restores) return open;
  return { ...open, written: { ...written, [field]: value } };
}
