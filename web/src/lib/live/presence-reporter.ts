// What this tab says of itself: the item on show and whether anybody is at it; only when it changed, and at most once a second.
import type { PresenceReport } from '@countersign/shared/sockets';

/** At most one message in this many ms; the server cuts off who says more. */
export const SPACING_MS = 1000;
/** Without any input for this many ms nobody is at the tab. */
export const IDLE_MS = 60_000;

/** What the server takes for granted of a tab that has said nothing. */
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

  /** The tab is there now. */
  update(state: Partial<PresenceReport>): void {
    this.#state = { ...this.#state, ...state };
    if (this.#lastSent !== null) this.#scheduleSend();
  }

  /** Connected anew: the server knows nothing of this tab. */
  connected(): void {
    this.#lastSent = JSON.stringify(INITIAL_STATE);
    this.#scheduleSend();
  }

  /** Not connected: what changes now is said when it is again. */
  lost(): void {
    this.#lastSent = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Never at once: what changes twice in one moment is said once. */
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

/** Tells whether the tab is in use: on show, and touched within the last minute. Answers the function that stops it. */
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
  // Whoever comes back to a tab is there, before they touch anything.
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
