// The sign-in flow: URL check, challenge, wallet, signature, session. The panel only renders it.
import { challenge, readMeta, verify } from '@countersign/shared/routes/session';
import type { SignInInput } from '@countersign/shared/schemas/session';
import { isAt } from '#lib/shell/addresses.ts';
import { ApiProblem, call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { explain } from '#lib/api/explain-error.ts';
import { session } from '#lib/auth/session.svelte.ts';
import { signInMessages } from '#lib/messages/sign-in-messages.ts';
import {
  accountsOf,
  remember,
  SigningRefused,
  signWith,
  WalletLocked,
  watchWallets,
  type WalletChoice,
} from '#lib/auth/wallets.ts';
import type { Wallet, WalletAccount } from '@wallet-standard/base';

/** Wallets register shortly after the page starts; until then "none found" would be wrong. */
const LOOKING_MS = 150;
/** A message about to expire is not passed to a wallet. */
const MARGIN_MS = 20_000;
/** Above this clock offset the user is notified when a wallet fails: wallets check the times in the message. */
const CLOCK_OFF_MS = 120_000;

interface Challenge {
  challenge_id: string;
  input: SignInInput;
}

/** The notice above the wallets. `quiet` is for outcomes that are no error. */
interface Notice {
  tone: 'quiet' | 'fault';
  title: string;
  text: string;
  requestId: string | null;
}

export class SignIn {
  /**
   * `elsewhere`: this page is open at another URL than the service's, so no signature is requested. `insecure`: browsers store no
   * session at this one, with any wallet.
   */
  phase: 'starting' | 'unreachable' | 'elsewhere' | 'insecure' | 'ready' = $state('starting');
  wallets: WalletChoice[] = $state.raw([]);
  looking = $state(true);
  challenge: Challenge | null = $state.raw(null);
  refreshing = $state(false);
  /** The wallet that is asked, and whether its answer is being checked. */
  busy: { wallet: Wallet; step: 'signing' | 'checking' } | null = $state.raw(null);
  /** A wallet with several accounts: the user selects the one that signs. */
  accountChoice: { wallet: Wallet; accounts: readonly WalletAccount[] } | null = $state.raw(null);
  /** The account selected last, for the shown message. */
  signer: string | null = $state(null);
  /** The wallet that reported it is locked. */
  locked: Wallet | null = $state.raw(null);
  notice: Notice | null = $state.raw(null);
  error: unknown = $state.raw(null);
  baseUrl = $state('');
  /** The demo's own wallet; null outside the demo. */
  burner: Wallet | null = $state.raw(null);

  /** Incremented with every attempt and with every end of one: an answer to an earlier attempt is ignored. */
  #turn = 0;
  /** The wallet whose signature was accepted while the session could not be read. */
  #accepted: Wallet | null = null;
  /** The running refresh. */
  #refresh: Promise<void> | null = null;

  /** Starts the flow; returns the function that ends it. */
  open(): () => void {
    void this.start();
    const timer = setTimeout(() => (this.looking = false), LOOKING_MS);
    const unwatch = watchWallets((wallets) => (this.wallets = wallets));
    return () => {
      this.#turn += 1;
      clearTimeout(timer);
      unwatch();
    };
  }

  /** Requests the service's URL and a first message. Also the Retry of the unreachable state. */
  async start(): Promise<void> {
    this.phase = 'starting';
    try {
      const meta = await call(readMeta);
      this.baseUrl = meta.base_url;
      if (!isAt(meta.base_url, location.origin)) {
        this.phase = 'elsewhere';
        return;
      }
      if (!isSecureContext) {
        this.phase = 'insecure';
        return;
      }
      if (__DEMO__ && meta.demo) this.burner = (await import('#lib/auth/demo-wallet.ts')).registerBurner();
      this.challenge = await call(challenge);
      this.phase = 'ready';
    } catch (error) {
      this.error = error;
      this.phase = 'unreachable';
    }
  }

  /**
   * Replaces an expired message, once for all concurrent callers. Never throws: without a fresh one the next press shows the
   * cause.
   */
  refresh(): Promise<void> {
    this.#refresh ??= this.#replace().finally(() => (this.#refresh = null));
    return this.#refresh;
  }

  async #replace(): Promise<void> {
    this.challenge = null;
    this.refreshing = true;
    try {
      this.challenge = await call(challenge);
    } catch (error) {
      this.#fault(signInMessages.previewFailed, { error });
    }
    this.refreshing = false;
  }

  /** True when the shown message can still be signed in time. Ticks. */
  get fresh(): boolean {
    return this.challenge !== null && clock.now < Date.parse(this.challenge.input.expirationTime) - MARGIN_MS;
  }

  /**
   * One press on a wallet, or on one of its accounts: signature, check, session. A press on another wallet cancels one that has
   * not answered; while an answer is being checked, presses are ignored. A signature that was accepted is not requested again:
   * the press reads the session.
   */
  async choose(choice: WalletChoice, account: WalletAccount | null = null): Promise<void> {
    const { wallet } = choice;
    if (this.phase !== 'ready' || this.busy?.step === 'checking' || this.busy?.wallet === wallet) return;
    const turn = this.#begin(wallet);
    try {
      if (this.#accepted === wallet) {
        await this.#readSession(wallet);
        return;
      }
      const signer = account ?? (await this.#account(choice, turn));
      if (signer === 'ask' || turn !== this.#turn) return;
      this.signer = signer?.address ?? null;
      if (!this.fresh) await this.refresh();
      if (this.challenge !== null && turn === this.#turn) await this.#sign(choice, signer, turn);
    } catch (error) {
      if (turn === this.#turn) this.#sayFailed(choice, error);
    } finally {
      if (turn === this.#turn) this.busy = null;
    }
  }

  /** Cancels a wallet that does not answer. A later signature is discarded. */
  stop(): void {
    if (this.busy?.step !== 'signing') return;
    this.#turn += 1;
    this.busy = null;
    this.#quiet(signInMessages.stopped);
  }

  #begin(wallet: Wallet): number {
    this.notice = this.accountChoice = this.locked = null;
    this.busy = { wallet, step: 'signing' };
    return ++this.#turn;
  }

  /** The account to sign with: `null` leaves it to the wallet, `ask` to the user. */
  async #account(choice: WalletChoice, turn: number): Promise<WalletAccount | null | 'ask'> {
    const accounts = await accountsOf(choice);
    if (accounts.length > 1) {
      if (turn === this.#turn) this.accountChoice = { wallet: choice.wallet, accounts };
      return 'ask';
    }
    return choice.method === 'message' ? (accounts[0] ?? null) : null;
  }

  async #sign(choice: WalletChoice, signer: WalletAccount | null, turn: number): Promise<void> {
    const asked = this.challenge;
    if (asked === null) return;
    const signed = await signWith(choice, asked.input, signer);
    if (turn !== this.#turn) return;
    this.busy = { wallet: choice.wallet, step: 'checking' };
    try {
      const { user } = await call(verify, { body: { challenge_id: asked.challenge_id, ...signed } });
      remember({ name: choice.name, address: user.address });
      await this.#readSession(choice.wallet);
    } catch (error) {
      this.#sayRefused(error, asked);
      // What asks to try again can be followed at once: the next press waits for the new message.
      this.busy = null;
      // Every attempt consumes its message.
      await this.refresh();
    }
  }

  /** Reads the session that a signature of this wallet has opened, which proves that the browser stored the cookie. */
  async #readSession(wallet: Wallet): Promise<void> {
    this.busy = { wallet, step: 'checking' };
    await session.load();
    const unread = session.state !== 'signed_in' && session.error !== null;
    this.#accepted = unread ? wallet : null;
    if (session.state === 'signed_in') return;
    if (unread) this.#fault(signInMessages.failed, { error: session.error });
    else this.#fault(signInMessages.noCookie, { say: signInMessages.noCookieText });
    // The signed message is used up: the next wallet gets a fresh one.
    this.challenge = null;
  }

  #sayFailed(choice: WalletChoice, error: unknown): void {
    const messages = signInMessages;
    const off = Date.now() - clock.read();
    if (error instanceof SigningRefused) this.#quiet(messages.refused);
    else if (error instanceof WalletLocked) {
      this.locked = choice.wallet;
      this.#quiet(messages.locked(choice.name || messages.unnamed));
    } else if (Math.abs(off) > CLOCK_OFF_MS) {
      const minutes = Math.round(Math.abs(off) / 60_000);
      const say = messages.clockOffText(
        off > 0 ? messages.fast(minutes) : messages.slow(minutes),
        atClock(clock.read()),
      );
      this.#fault(messages.clockOff, { say });
    } else this.#fault(messages.walletFailed, { say: messages.walletFailedText });
  }

  #sayRefused(error: unknown, asked: Challenge): void {
    const messages = signInMessages;
    const unauthorised = error instanceof ApiProblem && error.status === 401;
    const until = Date.parse(asked.input.expirationTime);
    const now = clock.read();
    // The server does not say what was wrong (S13); an expiry is visible here.
    if (unauthorised && now >= until) {
      this.#fault(messages.expired, { error, say: messages.expiredText(atClock(until), atClock(now)) });
    } else if (unauthorised) this.#fault(messages.badSignature, { error, say: messages.badSignatureText });
    else this.#fault(messages.failed, { error });
  }

  #quiet(title: string): void {
    this.notice = { tone: 'quiet', title, text: '', requestId: null };
  }

  /** `say` replaces the error's own text; its request id stays. */
  #fault(title: string, { error, say }: { error?: unknown; say?: string }): void {
    const explanation = error === undefined ? null : explain(error);
    this.notice = {
      tone: 'fault',
      title,
      text: say ?? explanation?.text ?? '',
      requestId: explanation?.requestId ?? null,
    };
  }
}

/** A time as the message writes it, without its day: "14:07:31 UTC". */
const atClock = (ms: number): string => `${new Date(ms).toISOString().slice(11, 19)} UTC`;
