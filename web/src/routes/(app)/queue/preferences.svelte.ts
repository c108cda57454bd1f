// The reader's own choices on the queue page, kept in this browser.
import { browserStorage } from '#lib/drafts.ts';

const FLOW = 'countersign.queue.flow';
const KEYS = 'countersign.queue.keys';

export class Preferences {
  #flow = $state(read(FLOW));
  #keys = $state(read(KEYS));

  /** Focus mode: after a decision the next item opens by itself. */
  get flow(): boolean {
    return this.#flow;
  }

  set flow(value: boolean) {
    this.#flow = value;
    keep(FLOW, value);
  }

  /** Single-letter keys are on (WCAG 2.1.4 wants a way to switch them off). */
  get keys(): boolean {
    return this.#keys;
  }

  set keys(value: boolean) {
    this.#keys = value;
    keep(KEYS, value);
  }
}

/** On unless it was switched off. */
function read(name: string): boolean {
  try {
    return browserStorage()?.getItem(name) !== 'off';
  } catch {
    return true;
  }
}

function keep(name: string, value: boolean): void {
  try {
    browserStorage()?.setItem(name, value ? 'on' : 'off');
  } catch {
    // The choice then lasts as long as the tab.
  }
}
