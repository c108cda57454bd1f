// Finds out whether a part of the page is missing for good, so that the page can offer to load itself again.
import { retryUntilDone } from './lazy-import.ts';
import { isPageServed } from './page-served.ts';

/** Chromium and Firefox name the file that could not be imported at the end of the message. */
const FILE = /https?:\/\/\S+$/;

interface Network {
  isServed: () => Promise<boolean>;
  load: (file: string) => Promise<unknown>;
}

export class MissingParts {
  readonly #network: Network;
  #found = $state(false);
  #checking: readonly string[] = [];

  constructor(network: Network) {
    this.#network = network;
  }

  /** Whether a part cannot be imported although the service answers: it comes only with the page that is loaded next. */
  get found(): boolean {
    return this.#found;
  }

  /** Learns of every failed import of a part, also of one that its caller hides. Returns the function that stops it. */
  follow(): () => void {
    const onFailure = ({ payload }: VitePreloadErrorEvent) => void this.#check(FILE.exec(payload.message)?.[0] ?? '');
    window.addEventListener('vite:preloadError', onFailure);
    return () => window.removeEventListener('vite:preloadError', onFailure);
  }

  /**
   * Waits until the service answers, and imports the file again. After a deployment it is gone, and Chromium caches a failed import,
   * also one that failed with the network: both last as long as the page. Elsewhere the next import succeeds.
   */
  async #check(file: string): Promise<void> {
    // Its own import fails with the same event.
    if (this.#found || this.#checking.includes(file)) return;
    this.#checking = [...this.#checking, file];
    await retryUntilDone(async () => {
      if (!(await this.#network.isServed())) throw new Error('The service does not answer.');
    });
    const imported = file !== '' && (await this.#network.load(file).then(Boolean, () => false));
    this.#checking = this.#checking.filter((other) => other !== file);
    if (!imported) this.#found = true;
  }
}

export const missingParts = new MissingParts({
  isServed: isPageServed,
  load: (file) => import(/* @vite-ignore */ file),
});
