// Samples of every state and event of the review session, and what makes a state valid.
import { ApiProblem, NetworkFailure } from '#lib/api/client.ts';
import type { Granted } from '@countersign/shared/api/queue';
import type { DomainEvent } from '@countersign/shared/events';
import type { ItemDetail } from '@countersign/shared/item';
import { byAction, type ReviewAction } from '@countersign/shared/review-actions';
import type { EditSession } from '../editor/edit-session.svelte.ts';
import type { RecentDecision } from '../recent/recent-decisions.svelte.ts';
import type { Answer, EventOf, ReadPurpose, ReviewEvent } from './review-events.ts';
import {
  claimOf,
  EMPTY_PROMPT,
  emptyReview,
  isShown,
  WAITING,
  type CommandState,
  type Grant,
  type ItemState,
  type ItemStateName,
  type Job,
  type ReviewState,
  type SessionCommand,
} from './review-state.ts';

const ME = 'me';
export const NOW = 1_700_000_000_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const heldBy = (user_id: string) => ({ user_id, name: user_id, expires_at: iso(NOW + 60_000) });

export const itemWith = (change: Partial<ItemDetail> = {}): ItemDetail =>
  ({
    id: 'one',
    project_id: 'p',
    status: 'queued',
    preview: 'Preview',
    version: 5,
    claim: heldBy(ME),
    suggestion: 'Suggestion',
    decision: null,
    decided_by: null,
    undo_until: null,
    abilities: {},
    ...change,
  }) as ItemDetail;

const grant: Grant = { fence: 3, expiresAt: NOW + 60_000, leaseMs: 120_000 };
const detail = itemWith();
const base = { id: 'one', prompt: EMPTY_PROMPT, newest: 5 };
const shown = { ...base, detail };
const edit = { item: { id: 'one' } } as unknown as EditSession;

/** One sample of every state of the open item. */
export const SAMPLES: { readonly [K in ItemStateName]: Extract<ItemState, { at: K }> } = {
  empty: { at: 'empty' },
  loading: { at: 'loading', ...base, previous: null },
  unreadable: { at: 'unreadable', ...base, error: new Error('down'), claim: { kind: 'none' } },
  viewing: { at: 'viewing', ...shown, detail: itemWith({ claim: null }) },
  claiming: { at: 'claiming', ...shown },
  claimed: { at: 'claimed', ...shown, grant },
  editing: { at: 'editing', ...shown, claim: { kind: 'held', grant }, edit },
  deciding: { at: 'deciding', ...shown, grant, action: 'approve', lost: false },
  lost: { at: 'lost', ...shown, detail: itemWith({ claim: heldBy('ana') }), grant: { ...grant, expiresAt: NOW } },
};

const recent = {
  ...{ itemId: 'two', preview: '', action: 'approve', reason: null, state: 'saved', undoUntil: null, windowMs: 0 },
  ...{ draft: null, notes: { note: '', own: '' } },
} as RecentDecision;
const request = { detail, fence: 3, action: 'approve', input: {}, draft: null, notes: EMPTY_PROMPT.notes } as const;
const decision = { request, input: {}, grant, edit: null, shown: 'one', flow: true };

/** The caller of the running command, and of the one under test. */
export const RUNNING_CALLER = 1;
export const CALLER = 2;
const caller = RUNNING_CALLER;
const onlost = () => undefined;

/** One sample of every job. */
export const JOBS: { readonly [K in Job['kind']]: Extract<Job, { kind: K }> } = {
  open: { kind: 'open', id: 'one', caller, waited: false, held: false, onlost },
  takeOver: { kind: 'takeOver', id: 'one', caller },
  reopen: { kind: 'reopen', id: 'one', caller },
  next: { kind: 'next', shown: 'one', caller },
  advance: { kind: 'advance', done: 'one', shown: 'one', caller },
  skip: { kind: 'skip', id: 'one', fence: 3, caller },
  giveBack: { kind: 'giveBack', id: 'one', fence: 3, caller },
  extend: { kind: 'extend', id: 'one', fence: 3, caller },
  decide: { kind: 'decide', decision, caller },
  undo: { kind: 'undo', recent, waited: false, sent: false, caller },
};

const asking = { at: 'running', phase: { at: 'asking' }, waiting: null, moves: 0, missed: {} } as const;
export const running = (job: Job): CommandState => ({ ...asking, job });

/** Every state of the open item under every state of the command. */
export const stateOf = (at: ItemStateName, command: CommandState = { at: 'idle' }): ReviewState => ({
  ...emptyReview(ME),
  item: SAMPLES[at],
  command,
  visit: 7,
});

const commands: CommandState[] = [
  { at: 'idle' },
  { at: 'failed', error: new NetworkFailure('unreachable'), retry: JOBS.open },
  ...Object.values(JOBS).map(running),
  { ...asking, job: JOBS.next, waiting: { ...JOBS.open, id: 'two', caller: 3, waited: true } },
  { ...asking, job: JOBS.open, phase: { at: 'rereading', result: false, failure: null } },
];
export const EVERY_STATE: readonly ReviewState[] = (Object.keys(SAMPLES) as ItemStateName[]).flatMap((at) =>
  commands.map((command) => stateOf(at, command)),
);

const decides = (action: ReviewAction): EventOf<'decide'> => ({
  ...{ kind: 'decide', action, input: {}, draft: null, flow: true, next: null, caller: CALLER },
});

/** The event of every command. */
export const EVENT_OF: Readonly<Record<SessionCommand, ReviewEvent>> = {
  open: { kind: 'open', id: 'two', caller: CALLER, held: false, onlost },
  peek: { kind: 'peek', id: 'two', caller: CALLER },
  next: { kind: 'next', caller: CALLER },
  undo: { kind: 'undo', recent, caller: CALLER },
  leave: { kind: 'close' },
  accept: { kind: 'accept', next: null, caller: CALLER },
  takeOver: { kind: 'takeOver', caller: CALLER },
  reopen: { kind: 'reopen', caller: CALLER },
  extend: { kind: 'extend', caller: CALLER },
  ...byAction(decides),
  edit: { kind: 'startEdit' },
  submit: decides('edit'),
  skip: { kind: 'skip', caller: CALLER },
  giveBack: { kind: 'giveBack', caller: CALLER },
  note: { kind: 'openNote' },
};

export const grantedItem = (item: ItemDetail): Granted => ({ item, fence: 4, expires_at: iso(NOW + 120_000) });
const refusal = (code: string, status = 409): ApiProblem =>
  new ApiProblem({ code, status } as ConstructorParameters<typeof ApiProblem>[0], null);

const answers: Answer[] = [
  { kind: 'granted', granted: grantedItem(itemWith({ version: 6 })) },
  { kind: 'granted', granted: grantedItem(itemWith({ id: 'two' })) },
  { kind: 'granted', granted: null },
  { kind: 'item', detail: itemWith({ version: 6 }) },
  { kind: 'decided', after: itemWith({ version: 6, status: 'approved', claim: null }), request },
  ...(['taken', 'done', 'over'] as const).map((kind) => ({ kind })),
];
const errors = [
  new NetworkFailure('unreachable'),
  ...['claim_lost', 'claim_held', 'already_decided', 'forbidden', 'unchanged_edit', 'undo_window_passed'].map((code) =>
    refusal(code),
  ),
];
const purposes: ReadPurpose[] = [
  { for: 'peek', caller: CALLER },
  ...(['reread', 'behind', 'refresh'] as const).map((why) => ({ for: why })),
];
const details = [
  itemWith({ version: 6 }),
  itemWith({ version: 6, claim: heldBy('ana') }),
  itemWith({ version: 6, status: 'approved', claim: null }),
];
export const domainEvent = (type: string, more: object = {}): DomainEvent =>
  ({ type, item_id: 'one', version: 8, actor: { kind: 'member', id: 'ana', name: 'Ana' }, ...more }) as never;

/** Samples of every event. */
export const EVENTS: readonly ReviewEvent[] = [
  ...Object.values(EVENT_OF),
  ...Object.values(JOBS).map((job): ReviewEvent => ({ kind: 'retry', job: { ...job, caller: CALLER } })),
  ...Object.values(JOBS).flatMap((job) => answers.map((answer): ReviewEvent => ({ kind: 'answered', job, answer }))),
  ...Object.values(JOBS).flatMap((job) => errors.map((error): ReviewEvent => ({ kind: 'refused', job, error }))),
  ...purposes.flatMap((purpose) => [
    ...details.map((read): ReviewEvent => ({ kind: 'read', ...asked(purpose), detail: read })),
    ...[refusal('not_found', 404), new NetworkFailure('unreachable')].map((error): ReviewEvent => ({
      kind: 'unread',
      ...asked(purpose),
      error,
    })),
  ]),
  { kind: 'dismiss' },
  { kind: 'stopEdit', carried: 'A note' },
  { kind: 'editorOpened', id: 'one', edit, moved: true },
  { kind: 'ask', action: 'reject' },
  { kind: 'pick', reason: 'Wrong fact' },
  { kind: 'fault', fault: 'Missing' },
  ...[null, '', 'typed'].flatMap((value): ReviewEvent[] => [
    { kind: 'own', value },
    { kind: 'note', value },
  ]),
  { kind: 'clearPrompt' },
  { kind: 'released', id: 'one' },
  { kind: 'undone', caller },
  { kind: 'blank', visit: 7 },
  ...['item.decided', 'item.finalized', 'claim.expired'].map((type): ReviewEvent => ({
    kind: 'received',
    event: domainEvent(type),
  })),
  { kind: 'received', event: domainEvent('item.claimed', { expires_at: iso(NOW + 60_000) }) },
  { kind: 'received', event: domainEvent('item.queued', { item: itemWith({ version: 8, claim: null }) }) },
  { kind: 'resync' },
  { kind: 'reopened', detail: itemWith({ version: 6 }) },
  { kind: 'heartbeat', visible: true, inputAt: NOW },
  { kind: 'renewed', granted: { ...grantedItem(detail), fence: 3 } },
  { kind: 'notRenewed', id: 'one', grant, refused: true },
  { kind: 'notesRestored', id: 'one', notes: { note: 'Saved', own: '' } },
  { kind: 'saved', id: 'one', persisted: false },
  { kind: 'draftsChanged', id: 'one', notes: { note: '', own: 'Theirs' } },
  { kind: 'confirmedLate' },
];

function asked(purpose: ReadPurpose) {
  return { id: 'one', visit: 7, purpose, again: true };
}

/** What is wrong with a state; empty for a valid one. */
export function problemsOf({ item, command, me, visit }: ReviewState): string[] {
  const problems: string[] = [];
  if (!(item.at in SAMPLES)) problems.push(`unknown state ${item.at}`);
  else if (isShown(item) && item.detail.id !== item.id) problems.push('the content of another item');
  const fields = Object.keys(item).sort().join();
  if (fields !== Object.keys(SAMPLES[item.at]).sort().join()) problems.push(`${item.at} has the fields ${fields}`);
  if (item.at === 'editing' && item.edit.item.id !== item.id) problems.push('the editor of another item');
  if (item.at === 'claimed' && claimOf(item).kind !== 'held') problems.push('claimed without a claim');
  if (item.at === 'lost' && item.grant.expiresAt > NOW) problems.push('a lost claim that has not ended');
  if (command.at === 'running' && command.waiting !== null) {
    if (!WAITING.some((name) => name === command.waiting?.kind)) problems.push(`${command.waiting.kind} waits`);
    if (command.waiting.caller === command.job.caller) problems.push('a command waits for itself');
  }
  if (command.at === 'failed' && command.error === undefined) problems.push('failed without a cause');
  if (me !== ME || visit < 7) problems.push('another user, or an earlier visit');
  return problems;
}
