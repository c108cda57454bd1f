// Reports this tab's presence: the open item and whether the tab is in use; only changes, and at most once a second.
import type { PresenceReport } from '@countersign/shared/sockets';

/** At most one message in this many ms; the server disconnects tabs that send more. */
export const SPACING_MS = 1000;
/** Without any input for this many ms the tab is idle. */
export const IDLE_MS = 60_000;

/** The state the server assumes of a tab that has reported nothing. */
const INITIAL_STATE: PresenceReport = { project_id: null, item_id: null, idle: false };

export class PresenceReporter {
  readonly #send: (state: PresenceReport) => void;
  #state = INITIAL_STATE;
  #lastSent: string | null = null;
  #lastSentAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (state: PresenceReport) => void) {
    this.#send = send;
  }

  /** Sets the present state of the tab. */
  update(state: Partial<PresenceReport>): void {
    this.#state = { ...this.#state, ...state };
    if (this.#lastSent !== null) this.#scheduleSend();
  }

  /** Reconnected: the server knows nothing of this tab. */
  connected(): void {
    this.#lastSent = JSON.stringify(INITIAL_STATE);
    this.#scheduleSend();
  }

  /** Not connected: changes are reported after the next connection. */
  lost(): void {
    this.#lastSent = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Never at once: two changes in one moment are reported once. */
  #scheduleSend(): void {
    this.#timer ??= setTimeout(
      () => this.#sendIfChanged(),
      Math.max(0, this.#lastSentAt + SPACING_MS - performance.now()),
    );
  }

  #sendIfChanged(): void {
    this.#timer = undefined;
    const now = JSON.stringify(this.#state);
    if (this.#lastSent === null || this.#lastSent === now) return;
    this.#lastSent = now;
    this.#lastSentAt = performance.now();
    this.#send(this.#state);
  }
}

const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Reports whether the tab is in use: visible, and with input within the last minute. Returns the function that stops it. */
export function watchIdle(onChange: (idle: boolean) => void): () => void {
  let usedAt = performance.now();
  let idle = false;
  let timer: ReturnType<typeof setTimeout>;
  const check = () => {
    clearTimeout(timer);
    const left = usedAt + IDLE_MS - performance.now();
    const now = document.visibilityState === 'hidden' || left <= 0;
    if (now !== idle) onChange((idle = now));
    if (!now) timer = setTimeout(check, left);
  };
  const used = () => {
    usedAt = performance.now();
    if (idle) check();
  };
  // A user who returns to a tab is active before any input.
  const shown = () => (document.visibilityState === 'visible' ? used() : check());
  for (const input of INPUTS) window.addEventListener(input, used, { passive: true });
  document.addEventListener('visibilitychange', shown);
  timer = setTimeout(check, IDLE_MS);
  if (document.visibilityState === 'hidden') check();
  return () => {
    clearTimeout(timer);
    for (const input of INPUTS) window.removeEventListener(input, used);
    document.removeEventListener('visibilitychange', shown);
  };
}
