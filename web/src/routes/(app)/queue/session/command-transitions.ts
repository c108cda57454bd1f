// The transitions of the running command: start, wait, end, and what each answer and each refusal does.
import { announcementMessages } from '../announcements/announcement-messages.ts';
import { isRefusal, NetworkFailure } from '#lib/api/client.ts';
import { explain } from '#lib/api/explain-error.ts';
import { itemMessages as messages } from '#lib/messages/item-messages.ts';
import type { Granted } from '@countersign/shared/schemas/queue';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import {
  answered,
  clear,
  closeEditor,
  closePrompt,
  decided,
  endClaim,
  loseClaim,
  preview,
  prompt,
  renew,
  restore,
  show,
  stopClaiming,
  take,
  type WorkingState,
} from './item-transitions.ts';
import type { Answer } from './review-events.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';
import {
  claimOf,
  editOf,
  grantOf,
  idOf,
  isCurrentLease,
  isShown,
  settled,
  WAITING,
  type Decision,
  type Failure,
  type Job,
  type JobOf,
} from './review-state.ts';

/** The item is somebody else's by now, decided, or no longer accessible to the user. */
const CLAIM_GONE_CODES = ['claim_lost', 'claim_held', 'already_decided', 'expired', 'not_found', 'forbidden'] as const;

const say = (working: WorkingState, text: string, urgent = false): void => {
  working.effects.push({ kind: 'say', text, urgent });
};

/**
 * Starts a command, or has it wait for the running one. An item to open replaces one that waits; an undo stays until it has
 * run, since its decision becomes final meanwhile.
 */
export function run(working: WorkingState, job: Job): void {
  const { command } = working;
  if (command.at !== 'running') return start(working, job, []);
  if (!WAITING.some((name) => name === job.kind)) return finish(working, job, false);
  dropWaiting(working, (other) => other.kind !== 'undo' || isSameUndo(other, job));
  add(working, job);
}

const isSameUndo = (one: JobOf<'undo'>, other: Job): boolean =>
  other.kind === 'undo' && one.recent.itemId === other.recent.itemId;

function add(working: WorkingState, job: Job): void {
  const { command } = working;
  if (command.at === 'running') working.command = { ...command, waiting: [...command.waiting, job] };
}

function start(working: WorkingState, job: Job, waiting: readonly Job[]): void {
  // An undo counts from when it was requested: a user who has moved on since stays where they are.
  const { moves } = job.kind === 'undo' ? job : working;
  working.command = { at: 'running', job, phase: { at: 'asking' }, waiting, moves, missed: {} };
  // The command it waited for may have brought this very item.
  if (job.kind === 'open' && job.waited && idOf(working.item) === job.id && hasLease(working))
    return end(working, true);
  const edit = editOf(working.item);
  if (job.kind === 'giveBack' && edit !== null) working.effects.push({ kind: 'saveEdit', edit });
  working.effects.push({ kind: 'send', job });
}

const hasLease = ({ item, now }: WorkingState): boolean => (grantOf(item)?.expiresAt ?? 0) > now;

/** Whether the user has moved to another item than this one since the running command was sent. */
const movedOn = ({ command, item, moves }: WorkingState, id: string): boolean =>
  command.at === 'running' && command.moves !== moves && idOf(item) !== id;

function finish(working: WorkingState, { caller }: Job, result: boolean): void {
  working.effects.push({ kind: 'finish', caller, result });
}

/** The running command has ended; the first one that waits runs next. */
function end(working: WorkingState, result: boolean, failure: Failure | null = null): void {
  const { command } = working;
  if (command.at !== 'running') return;
  working.command = failure === null ? { at: 'idle' } : { at: 'failed', ...failure };
  finish(working, command.job, result);
  const [next, ...others] = command.waiting;
  if (next !== undefined) start(working, next, others);
}

/** The user shows another item, or none. What waits to open an item is dropped; an undo still runs. */
export function moveOn(working: WorkingState): void {
  working.moves += 1;
  dropWaiting(working, ({ kind }) => kind !== 'undo');
}

function dropWaiting(working: WorkingState, isDropped: (job: Job) => boolean): void {
  const { command } = working;
  if (command.at !== 'running') return;
  for (const job of command.waiting) if (isDropped(job)) finish(working, job, false);
  working.command = { ...command, waiting: command.waiting.filter((job) => !isDropped(job)) };
}

/** Reads an item again before the running command ends. */
function rereadThenEnd(working: WorkingState, id: string, end: { result: boolean; failure?: Failure | null }): void {
  const { result, failure = null } = end;
  if (working.command.at !== 'running') return;
  working.command = { ...working.command, phase: { at: 'rereading', result, failure } };
  show(working, id, { for: 'reread' });
}

export function onReread(working: WorkingState): void {
  const { command } = working;
  if (command.at !== 'running' || command.phase.at !== 'rereading') return;
  if (command.job.kind === 'open') working.effects.push({ kind: 'callBack', call: command.job.onlost });
  end(working, command.phase.result, command.phase.failure);
}

/** Row, recent decisions and pane change before the server has answered. */
export function decide(working: WorkingState, job: JobOf<'decide'>, next: ItemDetail | null): void {
  const { request, grant } = job.decision;
  working.effects.push({ kind: 'showDecision', request });
  if (isShown(working.item)) working.item = settled(working.item, claimOf(working.item), null);
  closePrompt(working);
  const { item } = working;
  if (next !== null) preview(working, next);
  else if (isShown(item))
    working.item = {
      ...settled(item, { kind: 'held', grant }, null),
      at: 'deciding',
      grant,
      action: request.action,
      lost: claimOf(item).kind === 'lost',
    };
  run(working, job);
}

/** Claims the item after a completed one. A user who moved to another item meanwhile stays there. */
export function advance(working: WorkingState, done: string, caller: number): void {
  run(working, { kind: 'advance', done, shown: idOf(working.item), caller });
}

type Answered = { [K in Job['kind']]: (working: WorkingState, job: JobOf<K>, answer: Answer) => void };

const ANSWERED: Answered = {
  open: takeAnswer,
  takeOver: takeAnswer,
  reopen: (working, _, answer) => {
    if (answer.kind === 'item') answered(working, answer.detail);
    end(working, true);
  },
  next: (working, { shown }, answer) => {
    const granted = grantedIn(answer);
    const result = switchOver(working, granted, {
      shown,
      showIt: () => {
        if (granted !== null) take(working, granted, 'opened');
        else say(working, announcementMessages.nothingLeft);
        return granted !== null;
      },
    });
    end(working, result);
  },
  advance: (working, { done, shown }, answer) => {
    const granted = grantedIn(answer);
    end(working, switchOver(working, granted, { shown, showIt: () => showNext(working, shown ?? done, granted) }));
  },
  skip: (working, { id }, answer) => {
    const granted = grantedIn(answer);
    end(working, switchOver(working, granted, { shown: id, showIt: () => showNext(working, id, granted) }));
  },
  giveBack: (working, { id }) => {
    say(working, reviewMessages.announcement.givenBack);
    if (idOf(working.item) === id) clear(working);
    end(working, true);
  },
  extend: (working, _, answer) => {
    const granted = grantedIn(answer);
    const current = granted !== null && isCurrentLease(working.item, granted);
    if (current) {
      renew(working, granted);
      say(working, announcementMessages.extended);
    }
    end(working, current);
  },
  decide: (working, job, answer) => {
    if (answer.kind === 'decided') accepted(working, job, answer);
  },
  undo: (working, { recent }, answer) => {
    const { itemId: id } = recent;
    if (answer.kind === 'taken' && !movedOn(working, id)) return rereadThenEnd(working, id, { result: true });
    arrive(working, grantedIn(answer), true);
    end(working, answer.kind === 'taken' || grantedIn(answer) !== null);
  },
};

/** The running command, if this answer is its own: one that arrives twice, or for another command, counts for nothing. */
function ownJob(working: WorkingState, { kind, caller }: Job): Job | null {
  const { command } = working;
  if (command.at !== 'running' || command.phase.at !== 'asking') return null;
  return command.job.caller === caller && command.job.kind === kind ? command.job : null;
}

export function onResponse(working: WorkingState, asked: Job, answer: Answer): void {
  const job = ownJob(working, asked);
  // The table pairs each kind with its own handler; the compiler cannot follow the pairing through an index.
  if (job !== null)
    (ANSWERED[job.kind] as (working: WorkingState, job: Job, answer: Answer) => void)(working, job, answer);
}

const grantedIn = (answer: Answer): Granted | null => (answer.kind === 'granted' ? answer.granted : null);

function takeAnswer(working: WorkingState, job: JobOf<'open' | 'takeOver'>, answer: Answer): void {
  const granted = grantedIn(answer);
  arrive(working, granted, job.kind === 'takeOver' || !job.held);
  end(working, granted !== null);
}

/** A requested item has been granted. A user who moved to another one meanwhile stays there; a claim they had before stays too. */
function arrive(working: WorkingState, granted: Granted | null, isNew: boolean): void {
  if (granted === null) return;
  const { item, fence } = granted;
  if (!movedOn(working, item.id)) take(working, granted, 'opened');
  else if (isNew) working.effects.push({ kind: 'releaseUntouched', id: item.id, fence });
}

/**
 * The item requested while `shown` was open has been granted, or none was: `showIt` switches there. If another item is open by now,
 * that stays, and the granted one is released.
 */
function switchOver(
  working: WorkingState,
  granted: Granted | null,
  { shown, showIt }: { shown: string | null; showIt: () => boolean },
): boolean {
  if (idOf(working.item) === shown) return showIt();
  if (granted === null) return true;
  if (idOf(working.item) === granted.item.id) take(working, granted, 'opened');
  else working.effects.push({ kind: 'releaseUntouched', id: granted.item.id, fence: granted.fence });
  return true;
}

/** Shows the claimed item in place of a completed one; with nothing left no item is open. */
function showNext(working: WorkingState, done: string, granted: Granted | null): true {
  if (granted !== null) take(working, granted, 'advanced');
  else {
    say(working, announcementMessages.nothingLeft);
    if (idOf(working.item) === done) clear(working);
  }
  return true;
}

/** The decision was accepted; the next item is claimed, unless another command waits: it can then be read. */
function accepted(
  working: WorkingState,
  job: JobOf<'decide'>,
  { after, request }: Extract<Answer, { kind: 'decided' }>,
): void {
  const { command } = working;
  const { shown, flow, request: asked } = job.decision;
  // A user who returned to it meanwhile stays there.
  const moves = flow && idOf(working.item) === shown;
  working.effects.push({ kind: 'confirmDecision', after, request });
  decided(working, after, !moves);
  if (!moves || command.at !== 'running' || command.waiting.length > 0) {
    end(working, true);
    if (moves) stopClaiming(working);
    return;
  }
  working.command = { at: 'idle' };
  advance(working, asked.detail.id, job.caller);
}

type Refused = { [K in Job['kind']]: (working: WorkingState, job: JobOf<K>, error: unknown) => void };

/** It failed, and can be tried again. */
const fail = (working: WorkingState, job: Job, error: unknown): void => end(working, false, { error, retry: job });

const REFUSED: Refused = {
  open: (working, job, error) => {
    if (movedOn(working, job.id)) return end(working, false);
    if (!isRefusal(error, ['claim_held', 'already_decided', 'expired', 'forbidden'])) return fail(working, job, error);
    if (error.code === 'claim_held')
      say(working, announcementMessages.lostRace(error.holder?.name ?? messages.someone));
    if (idOf(working.item) === job.id || error.code === 'forbidden')
      return rereadThenEnd(working, job.id, { result: false });
    working.effects.push({ kind: 'callBack', call: job.onlost });
    end(working, false);
  },
  takeOver: (working, job, error) => {
    if (idOf(working.item) !== job.id) return end(working, false);
    if (!isRefusal(error, ['claim_lost', 'already_decided', 'expired', 'forbidden'])) return fail(working, job, error);
    rereadThenEnd(working, job.id, { result: false });
  },
  reopen: fail,
  next: (working, job, error) => {
    if (idOf(working.item) === job.shown) fail(working, job, error);
    else end(working, false);
  },
  advance: (working, job, error) => {
    // The failure does not concern a user who moved on.
    if (idOf(working.item) !== job.shown) return end(working, false);
    stopClaiming(working);
    fail(working, job, error);
  },
  skip: (working, job, error) => {
    const { id, fence, caller } = job;
    // A user who moved on asks for no next item any more; the claim of the one they left is still theirs.
    fail(working, idOf(working.item) === id ? job : { kind: 'giveBack', id, fence, caller }, error);
  },
  giveBack: fail,
  extend: (working, job, error) => {
    if (idOf(working.item) !== job.id) return end(working, false);
    if (!isRefusal(error, CLAIM_GONE_CODES)) return fail(working, job, error);
    if (grantOf(working.item)?.fence === job.fence) loseClaim(working);
    rereadThenEnd(working, job.id, { result: false });
  },
  decide: refuseDecision,
  undo: (working, job, error) => {
    if (!isRefusal(error, ['undo_window_passed'])) return fail(working, job, error);
    working.effects.push({ kind: 'finalDecision', id: job.recent.itemId });
    say(working, reviewMessages.failed.final);
    end(working, false);
  },
};

export function onRefusal(working: WorkingState, asked: Job, error: unknown): void {
  const job = ownJob(working, asked);
  // As above.
  if (job !== null)
    (REFUSED[job.kind] as (working: WorkingState, job: Job, error: unknown) => void)(working, job, error);
}

/** The decision was refused: everything is rolled back, and the page shows the cause. */
function refuseDecision(working: WorkingState, job: JobOf<'decide'>, error: unknown): void {
  const { request, edit, shown } = job.decision;
  const { id } = request.detail;
  const onShow = [shown, id].includes(idOf(working.item) ?? '');
  working.effects.push({ kind: 'rollBack', id, onShow });
  if (!onShow) {
    // The user works on another item by now: only the recent decisions show the failure.
    say(working, reviewMessages.failed.announcement(explain(error).title), true);
    return end(working, false);
  }
  // Commands that wait assumed that the decision is accepted. The undo of another one did not.
  dropWaiting(working, (job) => job.kind !== 'undo' || job.recent.itemId === id);
  putBack(working, job.decision);
  if (isRefusal(error, ['unchanged_edit']) && edit !== null) {
    working.effects.push({ kind: 'editFault', edit, fault: messages.edit.unchanged });
    return end(working, false);
  }
  if (!isRefusal(error, CLAIM_GONE_CODES)) return fail(working, job, error);
  closeEditor(working);
  closePrompt(working);
  loseClaim(working);
  // The item itself does not say these, or only when the worker has looked (DL3).
  const why = error.code === 'forbidden' || error.code === 'expired' ? { error, retry: null } : null;
  rereadThenEnd(working, id, { result: false, failure: why });
}

function putBack(working: WorkingState, { request, grant, edit }: Decision): void {
  const { detail, input, notes } = request;
  const isOpen = idOf(working.item) === detail.id;
  const { reason = null } = input;
  restore(working, detail, grant);
  if (edit !== null && isShown(working.item)) working.item = settled(working.item, claimOf(working.item), edit);
  prompt(working, { picked: edit === null && reason !== notes.own ? reason : null });
  if (!isOpen) working.effects.push({ kind: 'follow', id: detail.id, how: 'advanced' });
}

/** The first step of a command had effect: a retry continues at the step that failed. */
export function onUndone(working: WorkingState, caller: number): void {
  const { command } = working;
  if (command.at !== 'running' || command.job.kind !== 'undo' || command.job.caller !== caller) return;
  working.command = { ...command, job: { ...command.job, sent: true } };
}

export function onReleased(working: WorkingState, id: string): void {
  if (idOf(working.item) === id) endClaim(working);
}

/** After an interruption: what was unreachable may be reachable now. */
export function forgetUnreachable(working: WorkingState): void {
  const { command } = working;
  if (command.at !== 'failed') return;
  const { error } = command;
  if (error instanceof NetworkFailure || isRefusal(error, ['session_missing'])) working.command = { at: 'idle' };
}
