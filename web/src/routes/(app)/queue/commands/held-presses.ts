// Keeps keys pressed before the actions of the open item are enabled, and repeats them in order once they are (QU2).
import type { Command } from '#lib/keys/command.ts';
import { digitOf } from '#lib/keys/press.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';
import { isReasoned, REVIEW_ACTIONS, type ReviewAction } from '@countersign/shared/review-actions';
import { isEditorLoading, loadEditor } from '../item/load-editor.ts';
import type { QueueContext } from '../queue-context.ts';

/** A press must not have an effect long after it was made: after this many ms it counts for nothing. */
const MAX_WAIT_MS = 4000;

/** What waits: the keys of the open item, and the digits of its reasons. */
const WAITING: ReadonlySet<Command> = new Set<Command>([...REVIEW_ACTIONS, 'reason', 'skip', 'giveBack']);

interface HeldPress {
  readonly event: KeyboardEvent;
  /** Null behind another one: what it means depends on that. */
  readonly command: Command | null;
}

type Session = QueueContext['reviewSession'];

export class HeldPresses {
  readonly #context: Pick<QueueContext, 'reviewSession' | 'announcer' | 'ready'>;
  readonly #decidableFrom: () => number;
  #presses: HeldPress[] = [];
  #item: string | null = null;
  #repeated: KeyboardEvent | null = null;
  #releasing = false;

  /** @param decidableFrom from when presses may decide the open item, on the clock of events in ms. */
  constructor(context: Pick<QueueContext, 'reviewSession' | 'announcer' | 'ready'>, decidableFrom: () => number) {
    this.#context = context;
    this.#decidableFrom = decidableFrom;
  }

  /**
   * Takes a press that must wait or may not count; false when it may act now. With a command it is the key of a guarded command
   * that is available apart from its guard; with null any press, which waits only behind another one.
   */
  hold(event: KeyboardEvent, command: Command | null): boolean {
    if (event === this.#repeated) return false;
    this.#forgetOthers();
    if (command !== null) return WAITING.has(command) && this.#waits(event, command);
    const follows = this.#follows(event);
    if (follows && this.#waitsForEditor()) this.#releaseAfterEditor();
    return follows;
  }

  /** Repeats what waits, as far as it counts. Call it whenever actions have been enabled. */
  async release(): Promise<void> {
    if (this.#releasing) return;
    this.#releasing = true;
    for (let press = this.#next(); press !== undefined; press = this.#next()) {
      const counts = this.#counts(press);
      if (!counts) this.#refuse();
      // What follows a press without an effect, or one that decided, was meant for something else.
      if (!counts || !this.#repeat(press.event) || !this.#context.ready()) this.#presses = [];
      // What it opened takes the focus first.
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.#releasing = false;
  }

  #next(): HeldPress | undefined {
    this.#forgetOthers();
    if (!this.#context.ready() || this.#waitsForEditor()) return undefined;
    return this.#presses.shift();
  }

  /** A press belongs to the item that was open. */
  #forgetOthers(): void {
    const { id } = this.#context.reviewSession.item;
    if (id === this.#item) return;
    this.#item = id;
    this.#presses = [];
  }

  #waits(event: KeyboardEvent, command: Command): boolean {
    const { reviewSession, ready } = this.#context;
    // A refused decision must not be sent again by a second press of its key.
    if (this.#item === null || reviewSession.item.saving !== null) return false;
    if (!ready()) return this.#add({ event, command });
    if (event.timeStamp >= this.#decidableFrom() || opens(reviewSession, command)) return false;
    this.#refuse();
    return true;
  }

  #follows(event: KeyboardEvent): boolean {
    if (this.#presses.length === 0 && !this.#waitsForEditor()) return false;
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === 'Escape' || fieldWith(event.target) !== null) {
      this.#presses = [];
      return false;
    }
    return event.repeat || this.#isAgain(event) || this.#add({ event, command: null });
  }

  /** Repeats what waits once the editor has loaded; without an editor it counts for nothing. */
  #releaseAfterEditor(): void {
    const onLoaded = () => void setTimeout(() => void this.release());
    const onFailed = () => {
      this.#presses = [];
    };
    void loadEditor().then(onLoaded, onFailed);
  }

  /** The same key pressed again because nothing happened: it counts once. */
  #isAgain({ key }: KeyboardEvent): boolean {
    const [first] = this.#presses;
    return this.#presses.length === 1 && first !== undefined && first.command !== null && first.event.key === key;
  }

  #add(press: HeldPress): true {
    this.#presses.push(press);
    return true;
  }

  /** One made before the item was seen decides nothing: it may ask for a reason, open the editor, or be text. */
  #counts({ event, command }: HeldPress): boolean {
    const { reviewSession } = this.#context;
    if (performance.now() - event.timeStamp > MAX_WAIT_MS) return false;
    if (event.timeStamp >= this.#decidableFrom()) return true;
    if (command !== null) return opens(reviewSession, command);
    const takesDigits = reviewSession.reasonPrompt.action !== null && digitOf(event) >= 1;
    return fieldWith(document.activeElement) !== null && [...event.key].length === 1 && !takesDigits;
  }

  /** Returns whether it had an effect. */
  #repeat({ key, code, shiftKey }: KeyboardEvent): boolean {
    const event = new KeyboardEvent('keydown', {
      key,
      code,
      shiftKey,
      bubbles: true,
      cancelable: true,
      composed: true,
    });
    const target = document.activeElement ?? document.body;
    this.#repeated = event;
    const unused = target.dispatchEvent(event);
    this.#repeated = null;
    return !unused || enter(fieldWith(target), key);
  }

  /** The editor is open, and the field that is typed into has not loaded. */
  #waitsForEditor(): boolean {
    return this.#context.reviewSession.edit !== null && isEditorLoading();
  }

  #refuse(): void {
    this.#context.announcer.say(reviewMessages.announcement.tooEarly);
  }
}

/** Whether a command only opens what it asks for, and sends nothing. */
function opens({ reasonPrompt }: Session, command: Command): boolean {
  if (command === 'edit') return true;
  if (command === 'respond') return reasonPrompt.response === null;
  return isAction(command) && isReasoned(command) && reasonPrompt.picked === null && reasonPrompt.action !== command;
}

const isAction = (command: Command): command is ReviewAction => REVIEW_ACTIONS.some((action) => action === command);

/** The text field that has the focus. */
const fieldWith = (target: EventTarget | null): HTMLInputElement | HTMLTextAreaElement | null =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text')
    ? target
    : null;

/** Enters a character as if it had been typed there. */
function enter(field: HTMLInputElement | HTMLTextAreaElement | null, key: string): boolean {
  if (field === null || [...key].length !== 1) return false;
  field.setRangeText(key, field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true, data: key, inputType: 'insertText' }));
  return true;
}
