// The states of the review session: the open item, the running command, and which commands each state allows.
import type { Command } from '#lib/keys/command.ts';
import type { Draft, Notes } from '#lib/drafts/drafts.ts';
import type { Granted } from '@countersign/shared/schemas/queue';
import type { ItemDetail, ItemRow } from '@countersign/shared/schemas/parts/item';
import { ACTIONS, REVIEW_ACTIONS, type ActionWith, type ReviewAction } from '@countersign/shared/review-actions';
import type { DecisionInput, EditSession } from '../editor/edit-session.svelte.ts';
import type { RecentDecision } from '../recent/recent-decisions.svelte.ts';

/** How the open item changed: `opened` by the user, `advanced` automatically after the previous item. */
export type Transition = 'opened' | 'advanced';

/** A claim that this tab holds: the fence to send, and the lease in ms, server clock. */
export interface Grant {
  readonly fence: number;
  readonly expiresAt: number;
  readonly leaseMs: number;
}

/**
 * The claim of this tab. A lost one keeps its fence and the time it ended, which stays visible; `passedOn`: the deadline of the
 * item gave it to supervisors (DL1).
 */
export type Claim =
  | { readonly kind: 'none' }
  | { readonly kind: 'held'; readonly grant: Grant }
  | { readonly kind: 'lost'; readonly grant: Grant; readonly passedOn?: true };

/** The actions that require a reason, and no other input. */
export type ReasonedAction = ActionWith<'requires', 'reason'>;

/** The texts of the reason prompt. */
export type PromptText = 'own' | 'note' | 'response';

/** The reason prompt of an item: what is selected, and the notes of its fields, whether they are open or not. */
export interface Prompt {
  /** The action that waits for its reason. */
  readonly action: ReasonedAction | null;
  /** A reason selected before its action: pressing the action sends it. */
  readonly picked: string | null;
  /** What is missing before it can be sent, shown in place. */
  readonly fault: string | null;
  /** The text that kept the last decision from being sent; each refusal is another object. */
  readonly refused: { readonly field: PromptText } | null;
  readonly openFields: { readonly own: boolean; readonly note: boolean; readonly response?: boolean };
  readonly notes: Notes;
  /** False when the browser refused to store them: they last only as long as the tab. */
  readonly persisted: boolean;
}

/** What every open item has. */
interface Base {
  readonly id: string;
  readonly prompt: Prompt;
  /** The newest version that an event named, whether its content is here or not. */
  readonly newest: number;
}
interface Shown extends Base {
  readonly detail: ItemDetail;
}

/** The states of the open item, by name. */
export interface ItemStates {
  /** No item is open. */
  empty: object;
  /** It is being read; `previous` stays visible for a moment, without a blank between the two. */
  loading: Base & { readonly previous: ItemDetail | null };
  /** It could not be read. */
  unreadable: Base & { readonly error: unknown; readonly claim: Claim };
  /** It is shown, and this tab does not hold it. */
  viewing: Shown;
  /** It is shown while its claim, or the one of the next item, is requested. */
  claiming: Shown;
  /** This tab holds it. Whether the lease has run out meanwhile is a question of time: see `stageOf`. */
  claimed: Shown & { readonly grant: Grant };
  /** Its editor is open, which stays open when the lease runs out. */
  editing: Shown & { readonly claim: Claim; readonly edit: EditSession };
  /** This tab's decision on it is in flight. `lost`: an event said meanwhile that the claim has ended. */
  deciding: Shown & { readonly grant: Grant; readonly action: ReviewAction; readonly lost: boolean };
  /** This tab had the claim and lost it. */
  lost: Shown & { readonly grant: Grant; readonly passedOn?: true };
}
export type ItemStateName = keyof ItemStates;
export type ItemState = { [K in ItemStateName]: { readonly at: K } & ItemStates[K] }[ItemStateName];
export type OpenState = Exclude<ItemState, { at: 'empty' }>;
export type ShownState = Exclude<OpenState, { at: 'loading' | 'unreadable' }>;

/** A decision request, with the draft it was made from. Its item may be known by its row alone. */
export interface DecisionRequest<About extends ItemRow = ItemRow> {
  readonly detail: About;
  readonly fence: number;
  readonly action: ReviewAction;
  readonly input: DecisionInput;
  readonly draft: Draft | null;
  readonly notes: Notes;
}

/** A decision and the item as it was before, restored when the decision is refused. */
export interface Decision {
  readonly request: DecisionRequest<ItemDetail>;
  /** The input without the note, for another try. */
  readonly input: DecisionInput;
  readonly grant: Grant;
  readonly edit: EditSession | null;
  /** The item shown instead. */
  readonly shown: string;
  /** Whether the next item follows. */
  readonly flow: boolean;
}

/** The caller of a command, who is told its result. */
export type Caller = number;

interface OnItem {
  readonly id: string;
}
interface OnClaim extends OnItem {
  readonly fence: number;
}

/** What a running command asks the server for. `waited`: it was requested while another command ran. */
interface Jobs {
  /** `held`: the user had the claim before. */
  open: OnItem & { readonly waited: boolean; readonly held: boolean; readonly onlost: () => void };
  takeOver: OnItem;
  reopen: OnItem;
  next: { readonly shown: string | null };
  advance: { readonly done: string; readonly shown: string | null };
  skip: OnClaim;
  giveBack: OnClaim;
  extend: OnClaim;
  decide: { readonly decision: Decision };
  /** `sent`: the decision is undone, and only its item must be claimed again. */
  /** `moves`: those of the user before it was requested. */
  undo: { readonly recent: RecentDecision; readonly waited: boolean; readonly sent: boolean; readonly moves: number };
}
export type Job = { [K in keyof Jobs]: { readonly kind: K; readonly caller: Caller } & Jobs[K] }[keyof Jobs];
export type JobOf<K extends Job['kind']> = Extract<Job, { kind: K }>;

/** The step of a running command: its request, or reading its item again after a refusal, with the result it then has. */
export type Phase =
  | { readonly at: 'asking' }
  | { readonly at: 'rereading'; readonly failure: Failure | null; readonly result: boolean };

/** Why the last command failed; `retry` is what another try sends, where there is one. */
export interface Failure {
  readonly error: unknown;
  readonly retry: Job | null;
}

/** One command runs at a time. Undos that were requested meanwhile wait for its end, and so does the last item to open. */
export type CommandState =
  | { readonly at: 'idle' }
  | ({ readonly at: 'failed' } & Failure)
  | {
      readonly at: 'running';
      readonly job: Job;
      readonly phase: Phase;
      readonly waiting: readonly Job[];
      /** The moves of the user before it was sent. */
      readonly moves: number;
      /** The newest versions that events named since then of items that are not open: the answer may be older. */
      readonly missed: Readonly<Record<string, number>>;
    };

export interface ReviewState {
  readonly me: string;
  readonly item: ItemState;
  readonly command: CommandState;
  /** Counts the switches of the open item: an answer to an earlier one is outdated. */
  readonly visit: number;
  /** Counts how often the user showed another item or closed the open one: the answer to a command sent before does not move them. */
  readonly moves: number;
  /** A heartbeat is in flight. */
  readonly renewing: boolean;
  /** Incremented when another tab wrote or sent a draft of the open item. */
  readonly draftsRevision: number;
}

export const emptyReview = (me: string): ReviewState => ({
  me,
  item: { at: 'empty' },
  command: { at: 'idle' },
  visit: 0,
  moves: 0,
  renewing: false,
  draftsRevision: 0,
});

/** The commands of the review session, by the names of their keys. */
export const SESSION_COMMANDS = [
  ...(['open', 'peek', 'next', 'undo', 'leave', 'accept', 'takeOver', 'reopen', 'extend'] as const),
  ...REVIEW_ACTIONS,
  ...(['submit', 'skip', 'giveBack', 'note'] as const),
] as const satisfies readonly Command[];
export type SessionCommand = (typeof SESSION_COMMANDS)[number];

/** Every state allows these: they name their item, or ask for any other. */
const ALWAYS = ['open', 'peek', 'next', 'undo', 'leave'] as const;
const SHOWN = ['accept', 'takeOver', 'reopen', 'extend'] as const;
const HOLD = ['skip', 'giveBack'] as const;

/** The commands that each state allows. Within a state, `stageOf` and the item's abilities allow fewer. */
export const ALLOWED: Readonly<Record<ItemStateName, readonly SessionCommand[]>> = {
  empty: ALWAYS,
  loading: ALWAYS,
  unreadable: ALWAYS,
  viewing: [...ALWAYS, ...SHOWN],
  claiming: ALWAYS,
  claimed: [...ALWAYS, ...SHOWN, ...REVIEW_ACTIONS, ...HOLD, 'note'],
  editing: [...ALWAYS, ...SHOWN, ...HOLD, 'submit'],
  deciding: ALWAYS,
  // The fence decides: nobody else may have claimed the item, and what was typed in time is then accepted.
  lost: [...ALWAYS, ...SHOWN, ...REVIEW_ACTIONS, ...HOLD, 'note'],
};

/** Meanwhile every change is refused (QU2), except that these wait: they name their item, so that they reach no other one. */
export const WAITING: readonly SessionCommand[] = ['open', 'undo'];
/** These change nothing, and are possible while a command runs. */
export const READING: readonly SessionCommand[] = ['peek', 'leave', 'note', 'edit'];

export type Verdict = 'allowed' | 'waits' | 'refused';

/** What happens to a command in this state. */
export function verdictOf({ item, command }: Pick<ReviewState, 'item' | 'command'>, asked: SessionCommand): Verdict {
  if (!ALLOWED[item.at].includes(asked)) return 'refused';
  if (command.at !== 'running' || READING.includes(asked)) return 'allowed';
  return WAITING.includes(asked) ? 'waits' : 'refused';
}

/** The command that sends an action: an edit is submitted from its editor. */
export const commandOf = (action: ReviewAction): SessionCommand =>
  ACTIONS[action].requires === 'output' ? 'submit' : action;

/** The command a job belongs to, as the page names it while it runs. */
export function nameOf(job: Job): Command {
  if (job.kind === 'advance') return 'next';
  return job.kind === 'decide' ? job.decision.request.action : job.kind;
}

const NO_CLAIM: Claim = { kind: 'none' };
const NOTHING: Notes = { note: '', own: '' };
const CLOSED = {
  action: null,
  picked: null,
  fault: null,
  refused: null,
  openFields: { own: false, note: false },
} as const;
export const EMPTY_PROMPT: Prompt = { ...CLOSED, notes: NOTHING, persisted: true };

/** Closes what is open. The notes are retained. */
export const closedPrompt = (prompt: Prompt): Prompt => ({ ...prompt, ...CLOSED });

export const isPromptOpen = ({ action, openFields }: Prompt): boolean =>
  action !== null || openFields.own || openFields.note || openFields.response === true;

export const idOf = (item: ItemState): string | null => (item.at === 'empty' ? null : item.id);

export const isShown = (item: ItemState): item is ShownState => 'detail' in item;

/** The content on the page: while an item loads, for a moment that of the previous one. */
export function detailOf(item: ItemState): ItemDetail | null {
  if (item.at === 'loading') return item.previous;
  return isShown(item) ? item.detail : null;
}

export function claimOf(item: ItemState): Claim {
  if (item.at === 'claimed') return { kind: 'held', grant: item.grant };
  if (item.at === 'lost') return { kind: 'lost', grant: item.grant, ...(item.passedOn && { passedOn: true }) };
  if (item.at === 'deciding') return { kind: item.lost ? 'lost' : 'held', grant: item.grant };
  return item.at === 'editing' || item.at === 'unreadable' ? item.claim : NO_CLAIM;
}

export function grantOf(item: ItemState): Grant | null {
  const claim = claimOf(item);
  return claim.kind === 'none' ? null : claim.grant;
}

export const editOf = (item: ItemState): EditSession | null => (item.at === 'editing' ? item.edit : null);

export const isPending = (item: ItemState): boolean => item.at === 'claiming' || item.at === 'deciding';

/** The state of an item that is shown, by its claim and its editor. */
export function settled(base: Shown, claim: Claim, edit: EditSession | null): ShownState {
  const { id, prompt, newest, detail } = base;
  const shown = { id, prompt, newest, detail };
  if (edit !== null) return { at: 'editing', ...shown, claim, edit };
  if (claim.kind === 'none') return { at: 'viewing', ...shown };
  if (claim.kind === 'held') return { at: 'claimed', ...shown, grant: claim.grant };
  return { at: 'lost', ...shown, grant: claim.grant, ...(claim.passedOn && { passedOn: true }) };
}

/** Whether a renewed lease is still that of the open item: no newer event has arrived. */
export function isCurrentLease(item: ItemState, { item: answer, fence }: Granted): boolean {
  const claim = claimOf(item);
  if (idOf(item) !== answer.id || claim.kind !== 'held' || claim.grant.fence !== fence) return false;
  return item.at !== 'empty' && answer.version >= Math.max(isShown(item) ? item.detail.version : 0, item.newest);
}

/**
 * The state of the open item for its user. `mine`: claimed here, actions work. `ended`: the lease ran out, nobody holds it.
 * `free`: can be claimed. `held`: someone else holds it. `barred`: only a supervisor may decide it. `decided`: it is done.
 * `loading`: its claim is requested, or its decision is in flight; it looks like `mine`, and actions are disabled.
 */
export type Stage = 'mine' | 'loading' | 'ended' | 'free' | 'held' | 'barred' | 'decided';

interface StageInput {
  detail: ItemDetail;
  grant: Grant | null;
  /** See `OpenItem.pending`. */
  pending?: boolean;
  me: string;
  /** Whether the user may decide escalated items of this project (rule PM). */
  supervises: boolean;
  /** Server time in ms. */
  now: number;
}

/** See {@link Stage}. */
export function stageOf({ detail, grant, pending = false, me, supervises, now }: StageInput): Stage {
  if (pending) return 'loading';
  if (detail.status !== 'queued' && detail.status !== 'escalated') return 'decided';
  if (detail.claim !== null && detail.claim.user_id !== me) return 'held';
  if (detail.status === 'escalated' && !supervises) return 'barred';
  if (grant === null) return 'free';
  return grant.expiresAt > now ? 'mine' : 'ended';
}

const WARN_MS = 60_000;
const INPUT_MS = 60_000;

/** Whether so little of the lease is left that a text warns of it (SC 2.2.1); half of it when the whole is a minute or less. */
export const leaseEnds = (grant: Grant, now: number): boolean =>
  grant.expiresAt - now <= Math.min(WARN_MS, grant.leaseMs / 2);

/** The heartbeat: a third of the lease is gone, the tab is visible, and its user was active in the last minute. Times in ms. */
export function shouldRenew(
  grant: Grant,
  { now, visible, inputAt }: { now: number; visible: boolean; inputAt: number },
): boolean {
  const left = grant.expiresAt - now;
  return visible && now - inputAt <= INPUT_MS && left > 0 && left <= (grant.leaseMs * 2) / 3;
}

/** A reason that asks for the reviewer's own text. */
const isOpenReason = (reason: string): boolean => /^other\b/i.test(reason);

/** The chips of the bar: the project's reasons, and a last one for a custom reason where they contain none. */
export function chipsOf(reasons: readonly string[], ownReasonLabel: string): { label: string; open: boolean }[] {
  const chips = reasons.map((label, at) => ({ label, open: at === reasons.length - 1 && isOpenReason(label) }));
  return chips.at(-1)?.open ? chips : [...chips, { label: ownReasonLabel, open: true }];
}
