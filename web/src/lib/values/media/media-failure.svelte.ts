// Why a file of a submission is not shown, and when it is tried again.
import { ApiProblem, isRefusal, NetworkFailure } from '#lib/api/client.ts';
import { session } from '#lib/auth/session.svelte.ts';
import { untrack } from 'svelte';

/** What a file that could not be fetched says: the reason of our server where it gave one. */
export const reasonOf = (error: unknown, otherwise: string): string =>
  error instanceof ApiProblem && error.detail !== '' ? error.detail : otherwise;

/** Whether another attempt may succeed: not where our server refuses the file itself. */
const mayPass = (error: unknown): boolean =>
  error instanceof NetworkFailure || (error instanceof ApiProblem && !isRefusal(error, ['media_refused', 'not_found']));

/** The failure of one file, for the component that shows it. The network and a new session end it like a press. */
export class MediaFailure {
  /** Empty while there is none. */
  text = $state('');
  /** Whether another attempt may succeed. */
  retryable = $state(false);

  /** @param src the address of the file: another one starts without a failure. */
  constructor(src: () => string | null) {
    $effect(() => {
      void src();
      untrack(() => this.forget());
    });
    $effect(() => {
      const retry = () => this.#retry();
      window.addEventListener('online', retry);
      return () => window.removeEventListener('online', retry);
    });
    let ended = false;
    $effect(() => {
      const was = ended;
      ended = session.state === 'ended';
      if (was && !ended) this.#retry();
    });
  }

  /** The file itself cannot be shown: another attempt ends like this one. */
  keep(text: string): void {
    this.text = text;
    this.retryable = false;
  }

  /** Another attempt may succeed. */
  offerRetry(text: string): void {
    this.text = text;
    this.retryable = true;
  }

  /** The file was not fetched. */
  report(error: unknown, otherwise: string): void {
    const text = reasonOf(error, otherwise);
    if (mayPass(error)) this.offerRetry(text);
    else this.keep(text);
  }

  /** Shows the file again. */
  forget(): void {
    this.text = '';
    this.retryable = false;
  }

  #retry(): void {
    if (this.retryable) this.forget();
  }
}
