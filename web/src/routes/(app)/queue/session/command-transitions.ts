// The transitions of the running command: start, wait, end, and what each answer and each refusal does.
import { NetworkFailure } from '#lib/api/client.ts';
import { explain } from '#lib/api/explain-error.ts';
import { queueMessages as messages } from '#lib/messages/queue-messages.ts';
import type { Granted } from '@countersign/shared/api/queue';
import type { ItemDetail } from '@countersign/shared/item';
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
  type Draft,
} from './item-transitions.ts';
import { isRefusal } from './next-item.ts';
import type { Answer } from './review-events.ts';
import { reviewMessages } from './review-messages.ts';
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
const CLAIM_GONE_CODES = ['claim_lost', 'claim_held', 'already_decided', 'not_found', 'forbidden'] as const;

const say = (draft: Draft, text: string, urgent = false): void => {
  draft.effects.push({ kind: 'say', text, urgent });
};

/** Starts a command, or has it wait for the running one: the last one requested replaces an earlier one. */
export function run(draft: Draft, job: Job): void {
  const { command } = draft;
  if (command.at !== 'running') return start(draft, job);
  if (!WAITING.some((name) => name === job.kind)) return finish(draft, job, false);
  dropWaiting(draft);
  draft.command = { ...command, waiting: job };
}

function start(draft: Draft, job: Job): void {
  const { moves } = draft;
  draft.command = { at: 'running', job, phase: { at: 'asking' }, waiting: null, moves, missed: {} };
  // The command it waited for may have brought this very item.
  if (job.kind === 'open' && job.waited && idOf(draft.item) === job.id && hasLease(draft)) return end(draft, true);
  const edit = editOf(draft.item);
  if (job.kind === 'giveBack' && edit !== null) draft.effects.push({ kind: 'saveEdit', edit });
  draft.effects.push({ kind: 'send', job });
}

const hasLease = ({ item, now }: Draft): boolean => (grantOf(item)?.expiresAt ?? 0) > now;

/** Whether the user has moved to another item than this one since the running command was sent. */
const movedOn = ({ command, item, moves }: Draft, id: string): boolean =>
  command.at === 'running' && command.moves !== moves && idOf(item) !== id;

function finish(draft: Draft, { caller }: Job, result: boolean): void {
  draft.effects.push({ kind: 'finish', caller, result });
}

/** The running command has ended; the one that waits runs next. */
function end(draft: Draft, result: boolean, failure: Failure | null = null): void {
  const { command } = draft;
  if (command.at !== 'running') return;
  draft.command = failure === null ? { at: 'idle' } : { at: 'failed', ...failure };
  finish(draft, command.job, result);
  if (command.waiting !== null) run(draft, command.waiting);
}

/** The command that waits is dropped: the user moved on, or another one replaces it. */
export function dropWaiting(draft: Draft): void {
  const { command } = draft;
  if (command.at !== 'running' || command.waiting === null) return;
  finish(draft, command.waiting, false);
  draft.command = { ...command, waiting: null };
}

/** Reads an item again before the running command ends. */
function rereadThenEnd(draft: Draft, id: string, end: { result: boolean; failure?: Failure | null }): void {
  const { result, failure = null } = end;
  if (draft.command.at !== 'running') return;
  draft.command = { ...draft.command, phase: { at: 'rereading', result, failure } };
  show(draft, id, { for: 'reread' });
}

export function haveReread(draft: Draft): void {
  const { command } = draft;
  if (command.at !== 'running' || command.phase.at !== 'rereading') return;
  if (command.job.kind === 'open') draft.effects.push({ kind: 'callBack', call: command.job.onlost });
  end(draft, command.phase.result, command.phase.failure);
}

/** Row, recent decisions and pane change before the server has answered. */
export function decide(draft: Draft, job: JobOf<'decide'>, next: ItemDetail | null): void {
  const { request, grant } = job.decision;
  draft.effects.push({ kind: 'showDecision', request });
  if (isShown(draft.item)) draft.item = settled(draft.item, claimOf(draft.item), null);
  closePrompt(draft);
  const { item } = draft;
  if (next !== null) preview(draft, next);
  else if (isShown(item))
    draft.item = {
      ...settled(item, { kind: 'held', grant }, null),
      at: 'deciding',
      grant,
      action: request.action,
      lost: claimOf(item).kind === 'lost',
    };
  run(draft, job);
}

/** Claims the item after a completed one. A user who moved to another item meanwhile stays there. */
export function advance(draft: Draft, done: string, caller: number): void {
  run(draft, { kind: 'advance', done, shown: idOf(draft.item), caller });
}

type Answered = { [K in Job['kind']]: (draft: Draft, job: JobOf<K>, answer: Answer) => void };

const ANSWERED: Answered = {
  open: takeAnswer,
  takeOver: takeAnswer,
  reopen: (draft, _, answer) => {
    if (answer.kind === 'item') answered(draft, answer.detail);
    end(draft, true);
  },
  next: (draft, { shown }, answer) => {
    const granted = grantedIn(answer);
    const result = switchOver(draft, granted, {
      shown,
      showIt: () => {
        if (granted !== null) take(draft, granted, 'opened');
        else say(draft, messages.announcement.nothingLeft);
        return granted !== null;
      },
    });
    end(draft, result);
  },
  advance: (draft, { done, shown }, answer) => {
    const granted = grantedIn(answer);
    end(draft, switchOver(draft, granted, { shown, showIt: () => showNext(draft, shown ?? done, granted) }));
  },
  skip: (draft, { id }, answer) => {
    const granted = grantedIn(answer);
    end(draft, switchOver(draft, granted, { shown: id, showIt: () => showNext(draft, id, granted) }));
  },
  giveBack: (draft, { id }) => {
    say(draft, reviewMessages.announcement.givenBack);
    if (idOf(draft.item) === id) clear(draft);
    end(draft, true);
  },
  extend: (draft, _, answer) => {
    const granted = grantedIn(answer);
    const current = granted !== null && isCurrentLease(draft.item, granted);
    if (current) {
      renew(draft, granted);
      say(draft, messages.announcement.extended);
    }
    end(draft, current);
  },
  decide: (draft, job, answer) => {
    if (answer.kind === 'decided') accepted(draft, job, answer);
  },
  undo: (draft, { recent }, answer) => {
    const { itemId: id } = recent;
    if (answer.kind === 'taken' && !movedOn(draft, id)) return rereadThenEnd(draft, id, { result: true });
    arrive(draft, grantedIn(answer), true);
    end(draft, answer.kind === 'taken' || grantedIn(answer) !== null);
  },
};

/** The running command, if this answer is its own: one that arrives twice, or for another command, counts for nothing. */
function ownJob(draft: Draft, { kind, caller }: Job): Job | null {
  const { command } = draft;
  if (command.at !== 'running' || command.phase.at !== 'asking') return null;
  return command.job.caller === caller && command.job.kind === kind ? command.job : null;
}

export function haveAnswer(draft: Draft, asked: Job, answer: Answer): void {
  const job = ownJob(draft, asked);
  // The table pairs each kind with its own handler; the compiler cannot follow the pairing through an index.
  if (job !== null) (ANSWERED[job.kind] as (draft: Draft, job: Job, answer: Answer) => void)(draft, job, answer);
}

const grantedIn = (answer: Answer): Granted | null => (answer.kind === 'granted' ? answer.granted : null);

function takeAnswer(draft: Draft, job: JobOf<'open' | 'takeOver'>, answer: Answer): void {
  const granted = grantedIn(answer);
  arrive(draft, granted, job.kind === 'takeOver' || !job.held);
  end(draft, granted !== null);
}

/** A requested item has been granted. A user who moved to another one meanwhile stays there; a claim they had before stays too. */
function arrive(draft: Draft, granted: Granted | null, isNew: boolean): void {
  if (granted === null) return;
  const { item, fence } = granted;
  if (!movedOn(draft, item.id)) take(draft, granted, 'opened');
  else if (isNew) draft.effects.push({ kind: 'releaseUntouched', id: item.id, fence });
}

/**
 * The item requested while `shown` was open has been granted, or none was: `showIt` switches there. If another item is open by now,
 * that stays, and the granted one is released.
 */
function switchOver(
  draft: Draft,
  granted: Granted | null,
  { shown, showIt }: { shown: string | null; showIt: () => boolean },
): boolean {
  if (idOf(draft.item) === shown) return showIt();
  if (granted === null) return true;
  if (idOf(draft.item) === granted.item.id) take(draft, granted, 'opened');
  else draft.effects.push({ kind: 'releaseUntouched', id: granted.item.id, fence: granted.fence });
  return true;
}

/** Shows the claimed item in place of a completed one; with nothing left no item is open. */
function showNext(draft: Draft, done: string, granted: Granted | null): true {
  if (granted !== null) take(draft, granted, 'advanced');
  else {
    say(draft, messages.announcement.nothingLeft);
    if (idOf(draft.item) === done) clear(draft);
  }
  return true;
}

/** The decision was accepted; the next item is claimed, unless another command waits: it can then be read. */
function accepted(draft: Draft, job: JobOf<'decide'>, { after, request }: Extract<Answer, { kind: 'decided' }>): void {
  const { command } = draft;
  const { shown, flow, request: asked } = job.decision;
  // A user who returned to it meanwhile stays there.
  const moves = flow && idOf(draft.item) === shown;
  draft.effects.push({ kind: 'confirmDecision', after, request });
  decided(draft, after, !moves);
  if (!moves || command.at !== 'running' || command.waiting !== null) {
    end(draft, true);
    if (moves) stopClaiming(draft);
    return;
  }
  draft.command = { at: 'idle' };
  advance(draft, asked.detail.id, job.caller);
}

type Refused = { [K in Job['kind']]: (draft: Draft, job: JobOf<K>, error: unknown) => void };

/** It failed, and can be tried again. */
const fail = (draft: Draft, job: Job, error: unknown): void => end(draft, false, { error, retry: job });

const REFUSED: Refused = {
  open: (draft, job, error) => {
    if (movedOn(draft, job.id)) return end(draft, false);
    if (!isRefusal(error, ['claim_held', 'already_decided', 'forbidden'])) return fail(draft, job, error);
    if (error.code === 'claim_held') say(draft, messages.announcement.lostRace(error.holder?.name ?? messages.someone));
    if (idOf(draft.item) === job.id || error.code === 'forbidden')
      return rereadThenEnd(draft, job.id, { result: false });
    draft.effects.push({ kind: 'callBack', call: job.onlost });
    end(draft, false);
  },
  takeOver: (draft, job, error) => {
    if (idOf(draft.item) !== job.id) return end(draft, false);
    if (!isRefusal(error, ['claim_lost', 'already_decided', 'forbidden'])) return fail(draft, job, error);
    rereadThenEnd(draft, job.id, { result: false });
  },
  reopen: fail,
  next: (draft, job, error) => {
    if (idOf(draft.item) === job.shown) fail(draft, job, error);
    else end(draft, false);
  },
  advance: (draft, job, error) => {
    // The failure does not concern a user who moved on.
    if (idOf(draft.item) !== job.shown) return end(draft, false);
    stopClaiming(draft);
    fail(draft, job, error);
  },
  skip: (draft, job, error) => {
    const { id, fence, caller } = job;
    // A user who moved on asks for no next item any more; the claim of the one they left is still theirs.
    fail(draft, idOf(draft.item) === id ? job : { kind: 'giveBack', id, fence, caller }, error);
  },
  giveBack: fail,
  extend: (draft, job, error) => {
    if (idOf(draft.item) !== job.id) return end(draft, false);
    if (!isRefusal(error, CLAIM_GONE_CODES)) return fail(draft, job, error);
    if (grantOf(draft.item)?.fence === job.fence) loseClaim(draft);
    rereadThenEnd(draft, job.id, { result: false });
  },
  decide: refuseDecision,
  undo: (draft, job, error) => {
    if (!isRefusal(error, ['undo_window_passed'])) return fail(draft, job, error);
    draft.effects.push({ kind: 'finalDecision', id: job.recent.itemId });
    say(draft, reviewMessages.failed.final);
    end(draft, false);
  },
};

export function haveRefusal(draft: Draft, asked: Job, error: unknown): void {
  const job = ownJob(draft, asked);
  // As above.
  if (job !== null) (REFUSED[job.kind] as (draft: Draft, job: Job, error: unknown) => void)(draft, job, error);
}

/** The decision was refused: everything is rolled back, and the page shows the cause. */
function refuseDecision(draft: Draft, job: JobOf<'decide'>, error: unknown): void {
  const { request, edit, shown } = job.decision;
  const { id } = request.detail;
  const onShow = [shown, id].includes(idOf(draft.item) ?? '');
  draft.effects.push({ kind: 'rollBack', id, onShow });
  if (!onShow) {
    // The user works on another item by now: only the recent decisions show the failure.
    say(draft, reviewMessages.failed.announcement(explain(error).title), true);
    return end(draft, false);
  }
  // The command that waits assumed that the decision is accepted.
  dropWaiting(draft);
  putBack(draft, job.decision);
  if (isRefusal(error, ['unchanged_edit']) && edit !== null) {
    draft.effects.push({ kind: 'editFault', edit, fault: messages.edit.unchanged });
    return end(draft, false);
  }
  if (!isRefusal(error, CLAIM_GONE_CODES)) return fail(draft, job, error);
  closeEditor(draft);
  closePrompt(draft);
  loseClaim(draft);
  rereadThenEnd(draft, id, { result: false, failure: error.code === 'forbidden' ? { error, retry: null } : null });
}

function putBack(draft: Draft, { request, grant, edit }: Decision): void {
  const { detail, words, written } = request;
  const isOpen = idOf(draft.item) === detail.id;
  const { reason = null } = words;
  restore(draft, detail, grant);
  if (edit !== null && isShown(draft.item)) draft.item = settled(draft.item, claimOf(draft.item), edit);
  prompt(draft, { picked: edit === null && reason !== written.own ? reason : null });
  if (!isOpen) draft.effects.push({ kind: 'follow', id: detail.id, how: 'advanced' });
}

/** The first step of a command had effect: a retry continues at the step that failed. */
export function haveUndone(draft: Draft, caller: number): void {
  const { command } = draft;
  if (command.at !== 'running' || command.job.kind !== 'undo' || command.job.caller !== caller) return;
  draft.command = { ...command, job: { ...command.job, sent: true } };
}

export function haveReleased(draft: Draft, id: string): void {
  if (idOf(draft.item) === id) endClaim(draft);
}

/** After an interruption: what was unreachable may be reachable now. */
export function forgetUnreachable(draft: Draft): void {
  const { command } = draft;
  if (command.at !== 'failed') return;
  const { error } = command;
  if (error instanceof NetworkFailure || isRefusal(error, ['session_missing'])) draft.command = { at: 'idle' };
}
