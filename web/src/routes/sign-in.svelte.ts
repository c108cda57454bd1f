// The sign-in conversation: address check, challenge, wallet, signature, session. The panel only draws it.
import { challenge, readMeta, verify, type SignInInput } from '@countersign/shared/api/session';
import { isAt } from '#lib/addresses.ts';
import { ApiProblem, call } from '#lib/api.ts';
import { clock } from '#lib/clock.svelte.ts';
import { explain } from '#lib/explain.ts';
import { session } from '#lib/session.svelte.ts';
import { text } from '#lib/text.ts';
import { SigningRefused, signWith, watchWallets, type Signed, type WalletChoice } from '#lib/wallets.ts';

/** Wallets announce themselves within a moment of the page's start; until then "none found" would be a lie. */
const LOOKING_MS = 400;
/** A message about to run out is not handed to a wallet. */
const MARGIN_MS = 20_000;

interface Challenge {
  challenge_id: string;
  input: SignInInput;
}

/** What the panel says above the wallets. `quiet` is for things that are nobody's fault. */
interface Notice {
  tone: 'quiet' | 'fault';
  title: string;
  text: string;
  requestId: string | null;
}

export class SignIn {
  /** `elsewhere`: this page is open at another address than the service's, so no signature is asked for. */
  phase: 'starting' | 'unreachable' | 'elsewhere' | 'ready' = $state('starting');
  wallets: WalletChoice[] = $state.raw([]);
  looking = $state(true);
  challenge: Challenge | null = $state.raw(null);
  refreshing = $state(false);
  /** The name of the wallet that is asked, and whether its answer is being checked. */
  busy: { wallet: string; step: 'signing' | 'checking' } | null = $state.raw(null);
  notice: Notice | null = $state.raw(null);
  error: unknown = $state.raw(null);
  baseUrl = $state('');
  demo = $state(false);

  /** Starts the conversation; answers the function that ends it. */
  open(): () => void {
    void this.start();
    const timer = setTimeout(() => (this.looking = false), LOOKING_MS);
    const unwatch = watchWallets((wallets) => (this.wallets = wallets));
    return () => {
      clearTimeout(timer);
      unwatch();
    };
  }

  /** Asks where the service lives and for a first message. Also the Retry of the unreachable state. */
  async start(): Promise<void> {
    this.phase = 'starting';
    try {
      const meta = await call(readMeta);
      this.baseUrl = meta.base_url;
      if (!isAt(meta.base_url, location.origin)) {
        this.phase = 'elsewhere';
        return;
      }
      this.demo = __DEMO__ && meta.demo;
      if (__DEMO__ && meta.demo) (await import('#lib/burner.ts')).registerBurner();
      this.challenge = await call(challenge);
      this.phase = 'ready';
    } catch (error) {
      this.error = error;
      this.phase = 'unreachable';
    }
  }

  /** Replaces a message that has run out. Never throws: without a fresh one the next press says why. */
  async refresh(): Promise<void> {
    this.challenge = null;
    this.refreshing = true;
    try {
      this.challenge = await call(challenge);
    } catch (error) {
      this.#fault(text.signIn.previewFailed, { error });
    }
    this.refreshing = false;
  }

  /** True when the message on show can still be signed in time. Ticks. */
  get fresh(): boolean {
    return this.challenge !== null && clock.now < Date.parse(this.challenge.input.expirationTime) - MARGIN_MS;
  }

  /** One press on a wallet: signature, check, session. */
  async choose(choice: WalletChoice): Promise<void> {
    if (this.busy) return;
    this.notice = null;
    this.busy = { wallet: choice.name, step: 'signing' };
    if (!this.fresh) await this.refresh();
    const { challenge: asked } = this;
    if (asked !== null) await this.#sign(choice, asked);
    this.busy = null;
  }

  async #sign(choice: WalletChoice, asked: Challenge): Promise<void> {
    let signed: Signed;
    try {
      signed = await signWith(choice, asked.input);
    } catch (error) {
      if (error instanceof SigningRefused)
        this.notice = { tone: 'quiet', title: text.signIn.refused, text: '', requestId: null };
      else this.#fault(text.signIn.walletFailed, { say: text.signIn.walletFailedText });
      return;
    }
    this.busy = { wallet: choice.name, step: 'checking' };
    try {
      await call(verify, { body: { challenge_id: asked.challenge_id, ...signed } });
      // Asking again proves that the browser kept the cookie.
      await session.load();
      if (session.state !== 'signed_in') this.#fault(text.signIn.noCookie, { say: text.signIn.noCookieText });
    } catch (error) {
      this.#sayRefused(error, asked);
      // Every try uses its message up.
      await this.refresh();
    }
  }

  #sayRefused(error: unknown, asked: Challenge): void {
    const words = text.signIn;
    const unauthorised = error instanceof ApiProblem && error.status === 401;
    const late = clock.read() >= Date.parse(asked.input.expirationTime);
    if (unauthorised && (late || error.code === 'signature_expired')) {
      this.#fault(words.expired, { error, say: words.expiredText });
    } else if (unauthorised) this.#fault(words.badSignature, { error, say: words.badSignatureText });
    else this.#fault(words.failed, { error });
  }

  /** `say` replaces what the error says of itself; its request id stays. */
  #fault(title: string, { error, say }: { error?: unknown; say?: string }): void {
    const said = error === undefined ? null : explain(error);
    this.notice = { tone: 'fault', title, text: say ?? said?.text ?? '', requestId: said?.requestId ?? null };
  }
}
