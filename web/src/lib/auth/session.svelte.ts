// Who is signed in: read once at the start, ended by signing out, or by the first call or connection refused for want of a session.
import { endSession, readSession, type Session, type User } from '@countersign/shared/api/session';
import { ApiProblem, call, whenSessionMissing } from '../api/client.ts';

/**
 * `unknown` before the first answer, `failed` when there was none; `ended` is a session that ran out under an open page:
 * the page stays as it is (drafts included) until the person signs in again.
 */
type State = 'unknown' | 'failed' | 'signed_out' | 'signed_in' | 'ended';

class SessionStore {
  state: State = $state('unknown');
  user: User | null = $state.raw(null);
  /** What they may do here, beside what each object says of itself. */
  abilities: Session['abilities'] = $state.raw({ create_project: false });
  /** Seats were offered to them when this was read: the page shows them from the start. */
  offered = $state(false);
  /** Why the first read failed, for the Retry page. */
  error: unknown = $state.raw(null);

  /** While signing out the live connection hears the end before the answer is here. */
  #leaving = false;

  constructor() {
    whenSessionMissing(() => {
      if (this.state === 'signed_in' && !this.#leaving) this.state = 'ended';
    });
  }

  /** Asks the server who is signed in. Nobody is an answer, not an error. */
  async load(): Promise<void> {
    // The server says so in the page itself when the browser holds no session: asking would only log a 401. It counts once.
    const nobody = document.querySelector('meta[name="session"][content="none"]');
    if (nobody !== null) {
      nobody.remove();
      this.state = 'signed_out';
      return;
    }
    try {
      this.begin(await call(readSession));
    } catch (error) {
      // A page that waits for its person stays as it is, with everything typed in it.
      if (this.state === 'ended') return;
      if (error instanceof ApiProblem && error.status === 401) {
        this.state = 'signed_out';
        return;
      }
      this.error = error;
      this.state = 'failed';
    }
  }

  /**
   * Asks again whose session this browser holds, because another tab may have signed in anew: one's own goes on,
   * somebody else's page is loaded afresh. Without an answer nothing changes.
   */
  async check(): Promise<void> {
    const held = await call(readSession).catch(() => null);
    if (held === null) return;
    if (held.user.id === this.user?.id) this.state = 'signed_in';
    else location.reload();
  }

  /** Takes over a session the server has just opened. Somebody else's page is not shown: it is loaded afresh. */
  begin({ user, offered, abilities }: Session): void {
    if (this.state === 'ended' && this.user !== null && this.user.id !== user.id) location.reload();
    this.user = user;
    this.abilities = abilities;
    this.offered = offered;
    this.state = 'signed_in';
  }

  /** Signs out here and on the server. Throws when the server could not be told, so that nobody walks away signed in. */
  async signOut(): Promise<void> {
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
