// What each command of the keymap does, for the keys and the buttons alike. False means: nothing to do here.
import { clock } from '#lib/clock.svelte.ts';
import type { Command } from '#lib/keyboard.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { isFree } from '#lib/live/queue-model.ts';
import { queueText as text } from '#lib/queue-text.ts';
import { chipsOf } from './asking.svelte.ts';
import { nextLine, stepLine, type AsksWhy, type Stage } from './desk-model.ts';
import { projectOf, type Work } from './work.ts';

/** The part of the page that is not the desk. */
export interface Ui {
  readonly stage: Stage | null;
  /** The line that the keys move; setting it moves the focus. */
  cursor: string | null;
  /** Whether the keyboard is in the list, or nowhere. */
  readonly inList: boolean;
  help: boolean;
}

type Run = (event: KeyboardEvent | null) => boolean;

export interface Commands {
  run: Record<Command, Run>;
  /** Opens a line: takes it if it is free, shows it otherwise. */
  open: (id: string) => Promise<void>;
  /** A reason was chosen; `index` counts from 0. */
  choose: (index: number) => void;
  /** A reason was written. */
  write: (reason: string) => void;
}

export function commandsOf(work: Work, ui: Ui): Commands {
  const reasons = reasonsOf(work);
  const verbs = verbsOf(work, ui);
  const open = openOf(work, ui);
  const arrow = (event: KeyboardEvent | null) => event?.key.startsWith('Arrow') === true;
  const move = (step: 1 | -1) => (event: KeyboardEvent | null) => {
    if (arrow(event) && !ui.inList) return false;
    ui.cursor = stepLine(work.queue.entries, ui.cursor, step);
    return true;
  };
  const run: Record<Command, Run> = {
    ...verbs,
    down: move(1),
    up: move(-1),
    open: () =>
      ui.cursor !== null && !(ui.cursor === work.desk.item.id && ui.stage === 'mine') && done(open(ui.cursor)),
    show: () => work.queue.state.held.size > 0 && done(work.queue.dispatch({ kind: 'show' })),
    reason: (event) => (ui.stage === 'mine' ? done(reasons.choose(Number(event?.key) - 1)) : false),
    pause: () => done((live.paused = !live.paused)),
    help: () => done((ui.help = true)),
    leave: () => leave(work),
  };
  return { run, open, ...reasons };
}

const done = (_: unknown): true => true;

type Verb = Exclude<Command, 'down' | 'up' | 'open' | 'show' | 'reason' | 'pause' | 'help' | 'leave'>;

function verbsOf(work: Work, ui: Ui): Record<Verb, Run> {
  const { desk, tray } = work;
  const reading = () => ui.stage === 'mine' && desk.edit === null;
  const escalated = () => desk.item.detail?.status === 'escalated';
  const ask = (verb: AsksWhy) => {
    const { picked, verb: asked } = desk.asking;
    if (picked !== null) return done(desk.decide(verb, { reason: picked }));
    // The same verb again takes the question back.
    return done(asked === verb ? desk.asking.clear() : desk.asking.start(verb));
  };
  return {
    approve: () => reading() && done(desk.decide('approve')),
    edit: () => reading() && done(desk.startEdit()),
    reject: () => reading() && ask('reject'),
    escalate: () => reading() && !escalated() && ask('escalate'),
    finalize: () => reading() && escalated() && ask('finalize'),
    return: () => reading() && escalated() && done(desk.decide('return')),
    skip: () => ui.stage === 'mine' && done(desk.skip()),
    extend: () => ui.stage !== null && ['mine', 'ended', 'free'].includes(ui.stage) && done(desk.extend()),
    takeOver: () => ui.stage === 'held' && takesOver(work) && done(desk.takeOver()),
    reopen: () => desk.item.detail?.abilities.reopen === true && done(desk.reopen()),
    next: () => done(desk.next()),
    submit: () => ui.stage === 'mine' && done(submit(work)),
    reset: () => done(desk.edit?.reset()),
    accept: () => ui.stage === 'decided' && done(desk.goOn()),
    copy: () => done(copyDraft(work)),
    undo: () => {
      const made = tray.undoable(clock.read());
      return made !== null && done(desk.undo(made));
    },
  };
}

const takesOver = ({ desk }: Work): boolean => projectOf(desk.item.detail?.project_id)?.abilities.take_over === true;

function openOf({ queue, desk, me }: Work, ui: Ui): (id: string) => Promise<void> {
  return async (id) => {
    const row = queue.state.rows.get(id);
    if (row === undefined) return;
    const mine = row.claim?.user_id === me.id;
    if (!mine && !isFree(queue.state, row)) return desk.look(id);
    const won = await desk.claim(id);
    // Someone was faster: on to the next line that could be taken.
    if (!won && desk.failure === null)
      ui.cursor = nextLine(queue.entries, id, (each) => isFree(queue.state, each))?.id ?? id;
  };
}

function reasonsOf({ desk }: Work): Pick<Commands, 'choose' | 'write'> {
  const chips = () => chipsOf(projectOf(desk.item.detail?.project_id)?.reasons ?? [], text.reasons.own);
  const give = (reason: string) => {
    const { asking, edit } = desk;
    if (edit !== null) edit.choose(reason);
    else if (asking.verb !== null) void desk.decide(asking.verb, { reason });
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

function submit({ desk }: Work): void {
  const { edit } = desk;
  if (edit === null) return;
  const read = edit.read();
  if (!read.ok) {
    edit.fault = read.fault === 'unchanged' ? text.edit.unchanged : text.edit.badJson(read.detail);
  } else if (edit.reason === null) {
    edit.fault = text.edit.noReason;
  } else {
    const note = edit.note.trim();
    void desk.decide('edit', { output: read.output, reason: edit.reason, ...(note === '' ? {} : { note }) });
  }
}

async function copyDraft({ desk, drafts, announcer }: Work): Promise<void> {
  const draft = desk.item.id === null ? null : drafts.read(desk.item.id);
  if (draft === null) return;
  await navigator.clipboard.writeText(draft.text).then(
    () => announcer.say(text.said.copied),
    () => announcer.say(text.said.notCopied),
  );
}

/** Escape: closes the innermost thing that is open. */
function leave({ desk }: Work): boolean {
  if (desk.asking.open || desk.asking.picked !== null) desk.asking.clear();
  else if (desk.edit !== null) desk.stopEdit();
  else if (desk.item.id !== null) desk.close();
  else return false;
  return true;
}
