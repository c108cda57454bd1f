// The signed-in user, from the start until they sign out or the server refuses the session.
import { endSession, readSession } from '@countersign/shared/routes/session';
import type { Session, User } from '@countersign/shared/schemas/session';
import { ApiProblem, call, whenSessionMissing } from '../api/client.ts';
import { isReloadBlocked } from '../shell/page-served.ts';

/**
 * `unknown` before the first answer, `failed` when there was none; `ended` is a session that expired under an open page: the page
 * stays as it is (drafts included) until the user signs in again. In the last two the browser has the session of another person:
 * `reloading` loads the page again, `replaced` waits for the user to do so, because something would be lost (QU12).
 */
type State = 'unknown' | 'failed' | 'signed_out' | 'signed_in' | 'ended' | 'reloading' | 'replaced';

/** Marks the overlay of an ended session, which loses nothing by a reload. */
const ENDED_OVERLAY = '[data-session-ended]';

class SessionStore {
  state: State = $state('unknown');
  user: User | null = $state.raw(null);
  /** What the user may do globally; each object carries its own permissions. */
  abilities: Session['abilities'] = $state.raw({ create_project: false });
  /** The user had open membership offers when this was read: the page shows them from the start. */
  offered = $state(false);
  /** Why the last read failed; null when it succeeded, or when the server said that nobody is signed in. */
  error: unknown = $state.raw(null);

  #positions: Session['positions'] = null;

  /** Asks whether to sign out although an open page would lose something; null where none would. */
  #askFirst: (() => Promise<boolean>) | null = null;

  /** While signing out, the live connection learns of the end before the answer arrives. */
  #leaving = false;

  constructor() {
    whenSessionMissing(() => {
      if (this.state === 'signed_in' && !this.#leaving) this.state = 'ended';
    });
  }

  /** Asks the server who is signed in. Nobody is an answer, not an error. */
  async load(): Promise<void> {
    // The server states in the page itself that the browser has no session: a request would only log a 401. This counts once.
    const nobody = document.querySelector('meta[name="session"][content="none"]');
    if (nobody !== null) {
      nobody.remove();
      this.state = 'signed_out';
      return;
    }
    try {
      this.begin(await call(readSession));
    } catch (error) {
      const nobodyIsSignedIn = error instanceof ApiProblem && error.status === 401;
      this.error = nobodyIsSignedIn ? null : error;
      // A page that waits for its user to sign in stays as it is, with everything typed in it.
      if (this.state !== 'ended') this.state = nobodyIsSignedIn ? 'signed_out' : 'failed';
    }
  }

  /**
   * Asks again whose session this browser has, because another tab may have signed in again: the user's own session continues,
   * another user's replaces the page. Without an answer nothing changes.
   */
  async check(): Promise<void> {
    const held = await call(readSession).catch(() => null);
    if (held !== null) this.recognize(held);
  }

  /** Applies the rule of {@link check} to a session that was read elsewhere. A page that was replaced stays so. */
  recognize({ user }: Session): void {
    if (this.state !== 'signed_in' && this.state !== 'ended') return;
    if (user.id === this.user?.id) this.state = 'signed_in';
    else if (isReloadBlocked(ENDED_OVERLAY)) this.state = 'replaced';
    else {
      this.state = 'reloading';
      location.reload();
    }
  }

  /** Whether the page belongs to a person whose session this browser no longer has. */
  get isReplaced(): boolean {
    return this.state === 'reloading' || this.state === 'replaced';
  }

  /** The positions of the event logs at the last session that began; once, because what is read later has newer ones. */
  takePositions(): Session['positions'] {
    const positions = this.#positions;
    this.#positions = null;
    return positions;
  }

  /** Applies a session the server has just opened. A page of another user is not shown: it reloads. */
  begin({ user, offered, positions, abilities }: Session): void {
    if (this.state === 'ended' && this.user !== null && this.user.id !== user.id) location.reload();
    // A page that stays has read what it shows before: what happened since would be missed (QU4).
    const stays = this.state === 'ended' || this.state === 'signed_in';
    this.user = user;
    this.abilities = abilities;
    this.offered = offered;
    this.#positions = stays ? null : positions;
    this.error = null;
    this.state = 'signed_in';
  }

  /** From now on a user who signs out is asked first. Returns the function that ends this. */
  askBeforeSignOut(ask: () => Promise<boolean>): () => void {
    this.#askFirst = ask;
    return () => {
      if (this.#askFirst === ask) this.#askFirst = null;
    };
  }

  /**
   * Signs out here and on the server, unless the user was asked and stays. Throws when the server was not reached, so that a user never leaves the page signed in by
   * mistake.
   */
  async signOut(): Promise<void> {
    if (this.#askFirst !== null && !(await this.#askFirst())) return;
    this.#leaving = true;
    try {
      await call(endSession);
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 401)) throw error;
    } finally {
      this.#leaving = false;
    }
    this.user = null;
    this.state = 'signed_out';
  }
}

export const session = new SessionStore();
