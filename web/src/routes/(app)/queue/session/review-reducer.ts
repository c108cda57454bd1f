// The review session as a pure function: state and event in, state and effects out.
import { lengthFault } from '#lib/components/forms/length-limit.ts';
import { LIMITS } from '@countersign/shared/limits';
import type { DecisionInput } from '../editor/edit-session.svelte.ts';
import {
  advance,
  decide,
  moveOn,
  forgetUnreachable,
  onResponse,
  onRefusal,
  onReleased,
  onReread,
  onUndone,
  run,
} from './command-transitions.ts';
import {
  answered,
  clear,
  closeEditor,
  closeInputs,
  closePrompt,
  dismissFailure,
  replaceNotes,
  onReadFailure,
  onRead,
  loseClaim,
  preview,
  prompt,
  read,
  receive,
  renew,
  show,
  type WorkingState,
} from './item-transitions.ts';
import type { Effect, EventOf, ReadPurpose, ReviewEvent } from './review-events.ts';
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
  shouldRenew,
  verdictOf,
  type Job,
  type ReviewState,
  type SessionCommand,
} from './review-state.ts';

type Transitions = { [K in ReviewEvent['kind']]: (working: WorkingState, event: EventOf<K>) => void };

/** A command that this state refuses has no effect; its caller is told. */
function guard(working: WorkingState, command: SessionCommand, caller: number | null): boolean {
  if (verdictOf(working, command) !== 'refused') return true;
  if (caller !== null) working.effects.push({ kind: 'finish', caller, result: false });
  return false;
}

/** A command on the open item. */
const itemCommand =
  (command: SessionCommand, jobOf: (working: WorkingState, id: string, caller: number) => Job | null) =>
  (working: WorkingState, { caller }: { caller: number }): void => {
    if (!guard(working, command, caller)) return;
    const id = idOf(working.item);
    const job = id === null ? null : jobOf(working, id, caller);
    if (job !== null) run(working, job);
    else working.effects.push({ kind: 'finish', caller, result: false });
  };

/** A command on the claim of this tab. */
const claimCommand = (kind: 'skip' | 'giveBack') =>
  itemCommand(kind, (working, id, caller) => {
    const grant = grantOf(working.item);
    return grant && { kind, id, fence: grant.fence, caller };
  });

const COMMANDS = {
  peek: (working, { id, caller }) => peekAt(working, id, { for: 'peek', caller }),
  open: (working, { id, caller, held, onlost }) => {
    const waited = working.command.at === 'running';
    // Nothing is held while a next item is claimed: the user sees the requested item at once, and holds it a moment later.
    if (waited && isPending(working.item) && idOf(working.item) !== id) peekAt(working, id, { for: 'behind' });
    run(working, { kind: 'open', id, caller, held, onlost, waited });
  },
  takeOver: itemCommand('takeOver', (_, id, caller) => ({ kind: 'takeOver', id, caller })),
  reopen: itemCommand('reopen', (_, id, caller) => ({ kind: 'reopen', id, caller })),
  next: (working, { caller }) => {
    if (guard(working, 'next', caller)) run(working, { kind: 'next', shown: idOf(working.item), caller });
  },
  accept: (working, { caller, next }) => {
    const id = idOf(working.item);
    if (!guard(working, 'accept', caller) || id === null) return;
    preview(working, next);
    advance(working, id, caller);
  },
  decide: startDecision,
  skip: claimCommand('skip'),
  giveBack: claimCommand('giveBack'),
  undo: (working, { recent, caller }) =>
    run(working, {
      ...{ kind: 'undo', recent, caller, sent: false },
      ...{ waited: working.command.at === 'running', moves: working.moves },
    }),
  extend: itemCommand('extend', (working, id, caller) => {
    const grant = grantOf(working.item);
    if (grant !== null && grant.expiresAt > working.now) return { kind: 'extend', id, fence: grant.fence, caller };
    return { kind: 'open', id, caller, waited: false, held: false, onlost: () => undefined };
  }),
  close: (working) => {
    moveOn(working);
    clear(working);
  },
  retry: (working, { job }) => {
    // Only the last failure can be tried again, and once.
    if (working.command.at !== 'failed' || working.command.retry !== job) return;
    if (job.kind === 'decide') working.effects.push({ kind: 'decideAgain', decision: job.decision });
    else run(working, job.kind === 'undo' ? { ...job, moves: working.moves } : job);
  },
  dismiss: dismissFailure,
} satisfies Partial<Transitions>;

const INPUTS = {
  startEdit: (working) => {
    const { item } = working;
    if (!guard(working, 'edit', null) || !isShown(item)) return;
    closePrompt(working);
    // The user turned to another way: the command that failed is sent from there.
    dismissFailure(working);
    working.effects.push({ kind: 'openEditor', detail: item.detail, edit: editOf(item), note: item.prompt.notes.note });
  },
  editorOpened: (working, { id, edit, moved }) => {
    const { item } = working;
    if (!isShown(item) || item.id !== id || !(ALLOWED[item.at].includes('edit') || item.at === 'editing')) return;
    working.item = settled(item, claimOf(item), edit);
    // The editor has its own note: the text typed before moves there.
    if (moved) prompt(working, { notes: { ...item.prompt.notes, note: '' } });
    closePrompt(working);
  },
  stopEdit: (working, { carried }) => {
    const { item } = working;
    if (item.at !== 'editing') return;
    closeEditor(working);
    dismissFailure(working);
    if (carried === '') return;
    // Where no answer was typed, the note is sent with any decision.
    const note = [item.prompt.notes.note, carried].filter(Boolean).join('\n');
    prompt(working, { notes: { ...item.prompt.notes, note } });
    closePrompt(working);
    working.effects.push({ kind: 'emptyNote', edit: item.edit });
  },
  ask: (working, { action }) => prompt(working, { action, fault: null, ...fields(working, 'own', null) }),
  pick: (working, { reason }) => prompt(working, { picked: reason }),
  fault: (working, { fault }) => prompt(working, { fault }),
  own: (working, { value }) => prompt(working, fields(working, 'own', value)),
  note: (working, { value }) => prompt(working, { fault: null, ...fields(working, 'note', value) }),
  response: (working, { value }) => prompt(working, { fault: null, ...fields(working, 'response', value) }),
  openResponse: (working) => {
    const { item } = working;
    if (item.at === 'empty' || !guard(working, 'respond', null)) return;
    // It takes the place of the reasons.
    closePrompt(working);
    prompt(working, fields(working, 'response', item.prompt.notes.response ?? ''));
  },
  openNote: (working) => {
    const { item } = working;
    if (item.at === 'empty' || !guard(working, 'note', null)) return;
    prompt(working, { fault: null, ...fields(working, 'note', item.prompt.notes.note) });
  },
  clearPrompt: closePrompt,
  notesRestored: (working, { id, notes }) => replaceNotes(working, id, notes),
  saved: (working, { id, persisted }) => {
    if (idOf(working.item) === id) prompt(working, { persisted });
  },
  draftsChanged: (working, { id, notes }) => {
    if (!isShown(working.item) || working.item.id !== id) return;
    working.draftsRevision += 1;
    const edit = editOf(working.item);
    if (edit !== null) working.effects.push({ kind: 'refreshOtherDrafts', edit });
    replaceNotes(working, id, notes);
  },
} satisfies Partial<Transitions>;

const HAPPENINGS = {
  answered: (working, { job, answer }) => onResponse(working, job, answer),
  refused: (working, { job, error }) => onRefusal(working, job, error),
  released: (working, { id }) => onReleased(working, id),
  undone: (working, { caller }) => onUndone(working, caller),
  read: (working, event) => {
    if (onRead(working, event)) endRead(working, event.id, event.purpose);
  },
  unread: (working, event) => {
    onReadFailure(working, event);
    endRead(working, event.id, event.purpose);
  },
  blank: (working, { visit }) => {
    const { item } = working;
    if (visit === working.visit && item.at === 'loading') working.item = { ...item, previous: null };
  },
  received: (working, { event }) => receive(working, event),
  replaced: (working, { detail }) => answered(working, detail),
  resync: (working) => {
    forgetUnreachable(working);
    const id = idOf(working.item);
    if (id !== null) read(working, id, { for: 'refresh' });
  },
  heartbeat: sendHeartbeat,
  renewed: (working, { granted }) => {
    working.renewing = false;
    // The state shown by a command since then stays: the next heartbeat follows soon.
    if (isIdle(working) && isCurrentLease(working.item, granted)) renew(working, granted);
  },
  notRenewed: (working, { id, grant, refused }) => {
    working.renewing = false;
    // A refusal proves the fence invalid, regardless of events, and it is not sent again.
    if (!refused || idOf(working.item) !== id || grantOf(working.item) !== grant) return;
    loseClaim(working);
    read(working, id, { for: 'refresh' });
  },
  confirmedLate: dismissFailure,
} satisfies Partial<Transitions>;

const TRANSITIONS: Transitions = { ...COMMANDS, ...INPUTS, ...HAPPENINGS };

/** The next state, and what the engine must do. Pure: the same state, event and time always give the same result. */
export function reduce(
  state: ReviewState,
  event: ReviewEvent,
  now: number,
): { state: ReviewState; effects: readonly Effect[] } {
  const working: WorkingState = { ...state, effects: [], now };
  // The table pairs each kind with its own handler; the compiler cannot follow the pairing through an index.
  (TRANSITIONS[event.kind] as (working: WorkingState, event: ReviewEvent) => void)(working, event);
  const { effects, now: _, ...next } = working;
  return { state: next, effects };
}

const isIdle = ({ command, item }: WorkingState): boolean => command.at !== 'running' && !isPending(item);

/** Shows an item at the user's request: what waited, and what was typed into, belongs to the item before. */
function peekAt(working: WorkingState, id: string, purpose: ReadPurpose): void {
  moveOn(working);
  closeInputs(working);
  working.effects.push({ kind: 'follow', id, how: 'opened' });
  show(working, id, purpose);
}

/** Work on an item the user already holds continues: it is claimed again. */
function endRead(working: WorkingState, id: string, purpose: ReadPurpose): void {
  if (purpose.for === 'reread') onReread(working);
  if (purpose.for !== 'peek') return;
  const { item } = working;
  const { caller } = purpose;
  // A decision in flight ends the claim.
  const own = isShown(item) && !isPending(item) && item.id === id && item.detail.claim?.user_id === working.me;
  const waited = working.command.at === 'running';
  if (own) run(working, { kind: 'open', id, caller, waited, held: true, onlost: () => undefined });
  else working.effects.push({ kind: 'finish', caller, result: false });
}

/** The decision with everything typed so far. It is shown at once, and the prefetched next item with it. */
function startDecision(working: WorkingState, event: EventOf<'decide'>): void {
  const { action, input, draft: saved, flow, next, caller } = event;
  const { item } = working;
  const grant = grantOf(item);
  if (!guard(working, commandOf(action), caller)) return;
  if (grant === null || !isShown(item)) return void working.effects.push({ kind: 'finish', caller, result: false });
  const {
    detail,
    prompt: { notes },
  } = item;
  const sent = withNote(input, notes.note);
  const refused = refusedText(sent);
  if (refused !== null) {
    prompt(working, { ...refused, openFields: { ...item.prompt.openFields, [refused.refused.field]: true } });
    return void working.effects.push({ kind: 'finish', caller, result: false });
  }
  const request = { detail, fence: grant.fence, action, input: sent, draft: saved, notes };
  const shown = flow && next !== null ? next.id : detail.id;
  const decision = { request, input, grant, edit: editOf(item), shown, flow };
  decide(working, { kind: 'decide', decision, caller }, flow ? next : null);
}

/** The first text that is longer than the server accepts: its field opens with all of it, and nothing is sent. */
function refusedText({ note, response, reason }: DecisionInput) {
  const texts = [
    { field: 'response', fault: lengthFault(response ?? '', LIMITS.responseLength) },
    { field: 'note', fault: lengthFault(note ?? '', LIMITS.noteLength) },
    { field: 'own', fault: lengthFault(reason ?? '', LIMITS.reasonLength) },
  ] as const;
  for (const { field, fault } of texts) if (fault !== undefined) return { fault, refused: { field } };
  return null;
}

/** The note is appended to the editor's own note, for any decision. */
function withNote(input: DecisionInput, note: string): DecisionInput {
  const extra = note.trim();
  return extra === '' ? input : { ...input, note: [input.note, extra].filter(Boolean).join('\n') };
}

/** The heartbeat pauses while a command runs. Its failures show as a lease that runs down. */
function sendHeartbeat(working: WorkingState, { visible, inputAt }: EventOf<'heartbeat'>): void {
  const { item, now } = working;
  const grant = grantOf(item);
  if (item.at === 'empty' || grant === null || working.renewing || !isIdle(working)) return;
  if (!shouldRenew(grant, { now, visible, inputAt })) return;
  working.renewing = true;
  working.effects.push({ kind: 'renew', id: item.id, grant });
}

/** Opens, types into or closes one field of the reason prompt. Opening the custom reason restores what was typed there before. */
function fields(working: WorkingState, field: 'own' | 'note' | 'response', value: string | null) {
  if (working.item.at === 'empty') return {};
  const { openFields, notes } = working.item.prompt;
  const open = { openFields: { ...openFields, [field]: value !== null } };
  const restores = field === 'own' && !openFields.own && (value === '' || notes.own !== '');
  if (value === null || restores) return open;
  return { ...open, notes: { ...notes, [field]: value } };
}
