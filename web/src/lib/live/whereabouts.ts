// What this tab says of itself: the item on show and whether anybody is at it; only when it changed, and at most once a second.
import type { Whereabouts } from '@countersign/shared/sockets';

/** At most one message in this many ms; the server cuts off who says more. */
export const SPACING_MS = 1000;
/** Without any input for this many ms nobody is at the tab. */
export const IDLE_MS = 60_000;

/** What the server takes for granted of a tab that has said nothing. */
const NOWHERE: Whereabouts = { project_id: null, item_id: null, idle: false };

export class Reporter {
  readonly #send: (where: Whereabouts) => void;
  #where = NOWHERE;
  #said: string | null = null;
  #saidAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (where: Whereabouts) => void) {
    this.#send = send;
  }

  /** The tab is there now. */
  update(where: Partial<Whereabouts>): void {
    this.#where = { ...this.#where, ...where };
    if (this.#said !== null) this.#soon();
  }

  /** Connected anew: the server knows nothing of this tab. */
  connected(): void {
    this.#said = JSON.stringify(NOWHERE);
    this.#soon();
  }

  /** Not connected: what changes now is said when it is again. */
  lost(): void {
    this.#said = null;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Never at once: what changes twice in one moment is said once. */
  #soon(): void {
    this.#timer ??= setTimeout(() => this.#say(), Math.max(0, this.#saidAt + SPACING_MS - performance.now()));
  }

  #say(): void {
    this.#timer = undefined;
    const now = JSON.stringify(this.#where);
    if (this.#said === null || this.#said === now) return;
    this.#said = now;
    this.#saidAt = performance.now();
    this.#send(this.#where);
  }
}

const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Tells whether the tab is in use: on show, and touched within the last minute. Answers the function that stops it. */
export function watchUse(tell: (idle: boolean) => void): () => void {
  let usedAt = performance.now();
  let idle = false;
  let timer: ReturnType<typeof setTimeout>;
  const look = () => {
    clearTimeout(timer);
    const left = usedAt + IDLE_MS - performance.now();
    const now = document.visibilityState === 'hidden' || left <= 0;
    if (now !== idle) tell((idle = now));
    if (!now) timer = setTimeout(look, left);
  };
  const used = () => {
    usedAt = performance.now();
    if (idle) look();
  };
  // Whoever comes back to a tab is there, before they touch anything.
  const shown = () => (document.visibilityState === 'visible' ? used() : look());
  for (const input of INPUTS) window.addEventListener(input, used, { passive: true });
  document.addEventListener('visibilitychange', shown);
  timer = setTimeout(look, IDLE_MS);
  if (document.visibilityState === 'hidden') look();
  return () => {
    clearTimeout(timer);
    for (const input of INPUTS) window.removeEventListener(input, used);
    document.removeEventListener('visibilitychange', shown);
  };
}
