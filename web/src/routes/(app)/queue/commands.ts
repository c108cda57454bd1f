// What each command of the keymap does on the queue page, and when it has something to do: for keys, buttons, sheet and palette alike.
import { clock } from '#lib/clock.svelte.ts';
import { keysText } from '#lib/keys/keys-text.ts';
import { KEYMAP } from '#lib/keys/keymap.ts';
import { digitOf } from '#lib/keys/press.ts';
import type { Command } from '#lib/keyboard.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { isFree } from '#lib/live/queue-model.ts';
import { queueText as text } from '#lib/queue-text.ts';
import type { Act, Acts, QueueCommand, Ui } from './acts.ts';
import { chipsOf } from './asking.svelte.ts';
import { nextLine, type AsksWhy } from './desk-model.ts';
import { deskText } from './desk-text.ts';
import { DOUBLE_MS } from './double-press.ts';
import { editable } from './edit-model.ts';
import { listOf } from './list-acts.ts';
import { projectOf, type Work } from './work.ts';

export interface Commands {
  can: (command: Command) => boolean;
  /** Does it; false means that there was nothing to do here. */
  run: (command: Command, event: KeyboardEvent | null) => boolean;
  /** Opens a line: takes it if it is free, shows it otherwise. */
  open: (id: string) => Promise<void>;
  /** A reason was chosen; `index` counts from 0. */
  choose: (index: number) => void;
  /** A reason was written. */
  write: (reason: string) => void;
  /** Takes back the decision on show. */
  takeBack: () => void;
}

export function commandsOf(work: Work, ui: Ui): Commands {
  const reasons = reasonsOf(work);
  const open = openOf(work, ui);
  const counts = (command: Command) => !VERBS.has(command) || work.ready();
  const acts: Acts<QueueCommand> = {
    ...verbsOf(work, ui),
    ...readingOf(work, ui),
    ...listOf(work, ui, open),
    ...editingOf(work, ui),
    reason: { can: () => ui.stage === 'mine', run: (event) => event && reasons.choose(digitOf(event) - 1) },
    pause: { can: () => true, run: () => (live.paused = !live.paused) },
    leave: { can: () => leaves(work), run: () => leave(work) },
  };
  const actOf = (command: Command): Act | undefined => new Map<string, Act>(Object.entries(acts)).get(command);
  return {
    can: (command) => actOf(command)?.can() === true,
    run: (command, event) => {
      const act = actOf(command);
      if (act?.can() !== true || !counts(command) || (event !== null && movesElsewhere(event) && !ui.inList))
        return false;
      if (command === 'accept' && onOtherLine(event, work.desk.item.id)) return false;
      act.run(event);
      return true;
    },
    open,
    choose: (index) => counts('reason') && reasons.choose(index),
    write: (reason) => counts('reason') && reasons.write(reason),
    takeBack: () => work.ready() && void work.desk.undoShown(),
  };
}

/** What changes an item: the guard belongs to the action, so that it holds for keys, mouse, touch and whatever else presses (QU2). */
const VERBS: ReadonlySet<Command> = new Set(KEYMAP.flatMap(({ command, verb }) => (verb === true ? [command] : [])));

/** Outside the list the arrows and Space keep their ordinary meaning: they scroll. */
const movesElsewhere = ({ key }: KeyboardEvent): boolean => key.startsWith('Arrow') || key === ' ';

/** Whether a key was pressed on a line that is not the one of the item on show: there it means that line. */
function onOtherLine(event: KeyboardEvent | null, shown: string | null): boolean {
  const line = event?.target instanceof Element ? event.target.closest('[data-line]') : null;
  return line !== null && line.getAttribute('data-line') !== shown;
}

type Verb =
  | 'approve'
  | 'edit'
  | 'reject'
  | 'escalate'
  | 'finalize'
  | 'return'
  | 'skip'
  | 'giveBack'
  | 'extend'
  | 'takeOver'
  | 'reopen'
  | 'next'
  | 'accept'
  | 'undo';

function verbsOf(work: Work, ui: Ui): Acts<Verb> {
  const { desk } = work;
  const mine = () => ui.stage === 'mine';
  const reading = () => mine() && desk.edit === null;
  const escalated = () => desk.item.detail?.status === 'escalated';
  const ask = (verb: AsksWhy) => () => {
    const { picked, verb: asked } = desk.asking;
    if (picked !== null) return desk.decide(verb, { reason: picked });
    // The same verb again takes the question back.
    return asked === verb ? desk.asking.clear() : desk.asking.start(verb);
  };
  return {
    approve: { can: reading, run: () => desk.decide('approve') },
    edit: { can: reading, run: () => desk.startEdit() },
    reject: { can: reading, run: ask('reject') },
    escalate: { can: () => reading() && !escalated(), run: ask('escalate') },
    finalize: { can: () => reading() && escalated(), run: ask('finalize') },
    return: { can: () => reading() && escalated(), run: () => desk.decide('return') },
    skip: { can: mine, run: () => desk.skip() },
    giveBack: { can: mine, run: () => desk.giveBack() },
    extend: {
      can: () => ui.stage !== null && ['mine', 'ended', 'free'].includes(ui.stage),
      run: () => desk.extend(),
    },
    takeOver: { can: () => ui.stage === 'held' && takesOver(work), run: () => desk.takeOver() },
    reopen: { can: () => desk.item.detail?.abilities.reopen === true, run: () => desk.reopen() },
    next: { can: () => true, run: () => desk.next() },
    accept: { can: () => ui.stage === 'decided', run: () => desk.goOn() },
    undo: undoOf(work),
  };
}

function undoOf({ desk, tray }: Work): Act {
  const undoable = () => tray.newest(clock.read());
  let pressedAt = -Infinity;
  return {
    can: () => undoable() !== null,
    run: (event) => {
      // Two quick presses of the key are one: the second would take back the decision before.
      const again = event !== null && event.timeStamp - pressedAt < DOUBLE_MS;
      pressedAt = event?.timeStamp ?? pressedAt;
      const made = again ? null : undoable();
      return made && desk.undo(made);
    },
  };
}

const takesOver = ({ desk }: Work): boolean => projectOf(desk.item.detail?.project_id)?.abilities.take_over === true;

/** What changes how the item reads, and nothing about it. */
function readingOf(work: Work, ui: Ui): Acts<'note' | 'guidelines' | 'diff' | 'raw' | 'copyValue' | 'copy'> {
  const { desk, reading, drafts } = work;
  const shown = () => desk.item.detail !== null;
  return {
    note: { can: () => ui.stage === 'mine' && desk.edit === null, run: () => desk.asking.openNote() },
    guidelines: { can: shown, run: () => (reading.guidelines = !reading.guidelines) },
    diff: { can: shown, run: () => (reading.diff = !reading.diff) },
    raw: { can: shown, run: () => (reading.raw = !reading.raw) },
    // Of an emptied item there is nothing to copy (KE2).
    copyValue: { can: () => shown() && !desk.item.detail?.emptied_at, run: () => copyValue(work) },
    copy: {
      can: () => desk.item.id !== null && drafts.read(desk.item.id) !== null,
      run: () => copyDraft(work),
    },
  };
}

function editingOf(work: Work, ui: Ui): Acts<'submit' | 'keepDraft' | 'reset' | 'send'> {
  const { desk, announcer } = work;
  return {
    submit: { can: () => ui.stage === 'mine' && desk.edit !== null, run: () => submit(work) },
    keepDraft: {
      can: () => desk.edit !== null,
      run: () => {
        desk.edit?.keep();
        announcer.say(keysText.said.draftKept);
      },
    },
    reset: { can: () => desk.edit !== null, run: () => desk.edit?.reset() },
    send: { can: () => ui.stage === 'mine' && desk.edit === null && desk.asking.note !== null, run: () => send(work) },
  };
}

function openOf({ queue, desk, me }: Work, ui: Ui): (id: string) => Promise<void> {
  return async (id) => {
    const row = queue.state.rows.get(id);
    if (row === undefined) return;
    const mine = row.claim?.user_id === me.id;
    if (!mine && !isFree(queue.state, row)) return desk.look(id);
    // Someone was faster: on to the next line that could be taken.
    await desk.claim(
      id,
      () => (ui.cursor = nextLine(queue.entries, id, (each) => isFree(queue.state, each))?.id ?? id),
    );
  };
}

function reasonsOf({ desk }: Work): Pick<Commands, 'choose' | 'write'> {
  const chips = () => chipsOf(projectOf(desk.item.detail?.project_id)?.reasons ?? [], text.reasons.own);
  const give = (reason: string) => {
    const { asking, edit } = desk;
    if (edit !== null) {
      const { asks } = edit;
      edit.choose(reason);
      if (asks) submit({ desk });
    } else if (asking.verb !== null) void desk.decide(asking.verb, { reason });
    else asking.picked = asking.picked === reason ? null : reason;
    asking.own = null;
  };
  return {
    choose: (index) => {
      const chip = chips()[index];
      if (chip === undefined) return;
      if (chip.open) desk.asking.own = desk.edit?.reason ?? '';
      else give(chip.label);
    },
    write: (reason) => {
      const last = chips().at(-1)?.label ?? '';
      const words = reason.trim() || (last === text.reasons.own ? '' : last);
      if (words === '') return;
      // Written before its verb: it was written to reject, the strip says so.
      if (desk.edit === null && desk.asking.verb === null) desk.asking.start('reject');
      give(words);
    },
  };
}

function submit({ desk }: Pick<Work, 'desk'>): void {
  // What stops it is said in the editor; a missing reason is asked for in the strip.
  const words = desk.edit?.submission() ?? null;
  if (words !== null) void desk.decide('edit', words);
}

async function copyDraft({ desk, drafts, announcer }: Work): Promise<void> {
  const draft = desk.item.id === null ? null : drafts.read(desk.item.id);
  if (draft === null) return;
  await navigator.clipboard.writeText(draft.text).then(
    () => announcer.say(text.said.copied),
    () => announcer.say(text.said.notCopied),
  );
}

async function copyValue({ desk, announcer }: Work): Promise<void> {
  const suggestion = desk.item.detail?.suggestion;
  if (suggestion === undefined) return;
  await navigator.clipboard.writeText(desk.edit?.text ?? editable(suggestion)).then(
    () => announcer.say(keysText.said.valueCopied),
    () => announcer.say(text.said.notCopied),
  );
}

/** The note is written: out it goes, once it is known what for. */
function send({ desk }: Work): void {
  const { asking } = desk;
  if (asking.verb !== null && asking.picked !== null) void desk.decide(asking.verb, { reason: asking.picked });
  else asking.fault = asking.verb === null ? deskText.note.noVerb : deskText.note.noReason;
}

/** Whether Escape has something to close. */
const leaves = ({ desk, selection }: Work): boolean =>
  desk.asking.open || desk.asking.picked !== null || desk.edit !== null || selection.on || desk.item.id !== null;

/** Escape: closes the innermost thing that is open. */
function leave({ desk, selection }: Work): void {
  if (desk.asking.open || desk.asking.picked !== null) desk.asking.clear();
  else if (desk.edit?.asks) desk.edit.asks = false;
  else if (desk.edit !== null) desk.stopEdit();
  else if (selection.on) selection.leave();
  else desk.close();
}
