// What can happen to the review session, and what it then asks its engine to do.
import type { Draft, Notes } from '#lib/drafts/drafts.ts';
import type { Granted } from '@countersign/shared/schemas/queue';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemDetail, ItemRow } from '@countersign/shared/schemas/parts/item';
import type { ReviewAction } from '@countersign/shared/review-actions';
import type { DecisionInput, EditSession } from '../editor/edit-session.svelte.ts';
import type { RecentDecision } from '../recent/recent-decisions.svelte.ts';
import type { Caller, Decision, DecisionRequest, Grant, Job, ReasonedAction, Transition } from './review-state.ts';

/** Why an item is read: for `peek`, after a refused command, behind a command that waits, or refreshed in place. */
export type ReadPurpose =
  | { readonly for: 'peek'; readonly caller: Caller }
  | { readonly for: 'reread' | 'behind' | 'refresh' };

/** `visit`: see the state. `again`: the first answer was older than an event. */
interface ReadRequest {
  readonly id: string;
  readonly visit: number;
  readonly purpose: ReadPurpose;
  readonly again: boolean;
}

/** The answer to the request of a job: an item, a claim or none of the next item, or nothing. */
export type Answer =
  | { readonly kind: 'granted'; readonly granted: Granted | null }
  | { readonly kind: 'item'; readonly detail: ItemDetail }
  | { readonly kind: 'decided'; readonly after: ItemDetail; readonly request: DecisionRequest }
  /** The item was undone, and somebody else claimed it first. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'done' }
  /** The command it waited for has made it pointless. */
  | { readonly kind: 'over' };

interface Commands {
  /** Shows an item without claiming it. */
  peek: { id: string; caller: Caller };
  /** `held`: the user has the claim already, as far as the page knows. */
  open: { id: string; caller: Caller; held: boolean; onlost: () => void };
  takeOver: { caller: Caller };
  reopen: { caller: Caller };
  next: { caller: Caller };
  /** Continues from a completed item; `next` is the prefetched one. */
  accept: { caller: Caller; next: ItemDetail | null };
  /** `draft` as saved now; `flow`: the next item follows, `next` where it was prefetched. */
  decide: DecideInput & { caller: Caller };
  skip: { caller: Caller };
  giveBack: { caller: Caller };
  undo: { recent: RecentDecision; caller: Caller };
  extend: { caller: Caller };
  /** Leaves the item without releasing it. */
  close: object;
  /** Another try of a failed command. */
  retry: { job: Job };
  dismiss: object;
  startEdit: object;
  /** `carried`: the editor's note, where no answer was typed. */
  stopEdit: { carried: string };
}

interface DecideInput {
  readonly action: ReviewAction;
  readonly input: DecisionInput;
  readonly draft: Draft | null;
  readonly flow: boolean;
  readonly next: ItemDetail | null;
}

interface PromptInputs {
  ask: { action: ReasonedAction };
  pick: { reason: string | null };
  fault: { fault: string | null };
  own: { value: string | null };
  note: { value: string | null };
  /** The answer in words that is being typed; null closes its field, and the text is retained. */
  response: { value: string | null };
  openResponse: object;
  openNote: object;
  clearPrompt: object;
}

interface Happenings {
  /** The request of the running command was answered, or was refused. */
  answered: { job: Job; answer: Answer };
  refused: { job: Job; error: unknown };
  /** A first step of the running command had effect. */
  released: { id: string };
  undone: { caller: Caller };
  /** A read was answered. */
  read: ReadRequest & { detail: ItemDetail };
  unread: ReadRequest & { error: unknown };
  /** The previous item has been visible long enough. */
  blank: { visit: number };
  received: { event: DomainEvent };
  /** After an interruption: what was unreachable may be reachable now. */
  resync: object;
  /** An item of an answer that no command of this session asked for. */
  replaced: { detail: ItemDetail };
  heartbeat: { visible: boolean; inputAt: number };
  renewed: { granted: Granted };
  notRenewed: { id: string; grant: Grant; refused: boolean };
  /** The notes of the open item, as saved. */
  notesRestored: { id: string; notes: Notes };
  saved: { id: string; persisted: boolean };
  /** `moved`: the note typed before is the editor's now. */
  editorOpened: { id: string; edit: EditSession; moved: boolean };
  /** Another tab wrote or sent a draft. */
  draftsChanged: { id: string; notes: Notes };
  /** A decision whose answer was lost turned out to have had effect. */
  confirmedLate: object;
}

type Inputs = Commands & PromptInputs & Happenings;
/** Every event. */
export type ReviewEvent = { [K in keyof Inputs]: { readonly kind: K } & Readonly<Inputs[K]> }[keyof Inputs];
export type EventOf<K extends ReviewEvent['kind']> = Extract<ReviewEvent, { kind: K }>;

/** Without an open item these change nothing, so before the engine, when none is open, they start no import and wait for none. */
export const IDLE_EVENTS: ReadonlySet<ReviewEvent['kind']> = new Set([
  'heartbeat',
  'received',
  'resync',
  'draftsChanged',
] as const);

interface Effects {
  /** Sends the request of the running command; its answer is an event. */
  send: { job: Job };
  read: ReadRequest;
  renew: { id: string; grant: Grant };
  /** Blanks the previous item after a moment. */
  blankSoon: { visit: number };
  /** Tells a command's caller its result. */
  finish: { caller: Caller; result: boolean };
  callBack: { call: () => void };
  /** The page follows: the URL and the focus. */
  follow: { id: string | null; how: Transition };
  say: { text: string; urgent: boolean };
  put: { row: ItemRow; what: 'taken'; leaseEnds: string };
  history: { switchTo: string | null };
  readHistory: object;
  /** The notes saved for an item are restored together with it. */
  restoreNotes: { id: string };
  saveNotes: { id: string; notes: Notes };
  saveEdit: { edit: EditSession };
  openEditor: { detail: ItemDetail; edit: EditSession | null; note: string };
  /** The editor of an item with a draft opens again. */
  resumeDraft: { id: string };
  /** The note of an editor moves to the decision. */
  emptyNote: { edit: EditSession };
  editFault: { edit: EditSession; fault: string };
  refreshOtherDrafts: { edit: EditSession };
  /** One user works on one item: an untouched item is released when another one opens, or the user has moved on before it came. */
  releaseUntouched: { id: string; fence: number };
  forgetSent: { detail: ItemDetail };
  checkUndone: { detail: ItemDetail };
  showDecision: { request: DecisionRequest };
  confirmDecision: { after: ItemDetail; request: DecisionRequest };
  rollBack: { id: string; onShow: boolean };
  confirmLate: { detail: ItemDetail };
  finalDecision: { id: string };
  /** Decides again, unless the text was edited since. */
  decideAgain: { decision: Decision };
}
export type Effect = { [K in keyof Effects]: { readonly kind: K } & Readonly<Effects[K]> }[keyof Effects];
export type EffectOf<K extends Effect['kind']> = Extract<Effect, { kind: K }>;
