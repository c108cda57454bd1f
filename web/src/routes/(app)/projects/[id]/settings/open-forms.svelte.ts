// What only the page has: secrets that are shown once, and forms of tabs whose input is not stored.
import type { Role } from '@countersign/shared/enums';
import type { Tab } from '../tabs.ts';

/** Secrets that are shown once, in memory only: they stay until they are dismissed, on any tab. */
export class SecretsShown {
  key: string | null = $state(null);
  source: { url: string; secret: string } | null = $state.raw(null);
  /** Of a webhook endpoint. */
  endpoint: { id: string; secret: string; phase: 'current' | 'next' } | null = $state.raw(null);
  invite: { url: string; role: Role } | null = $state.raw(null);

  /** Whether this tab shows one of them. */
  on(tab: Tab): boolean {
    if (tab === 'webhook') return this.endpoint !== null;
    if (tab === 'people') return this.invite !== null;
    return tab === 'keys' && (this.key !== null || this.source !== null);
  }

  dismiss(): void {
    this.key = null;
    this.source = null;
    this.endpoint = null;
    this.invite = null;
  }
}

/** A form with a Save button of its own. Its input survives a change of the tab, but not leaving the page. */
export class OpenForm<T> {
  #draft: T | null = $state(null);
  #opened = '';
  readonly #subject: (draft: T) => string | null;

  /** `subject` says what a draft is about. */
  constructor(subject: (draft: T) => string | null) {
    this.#subject = subject;
  }

  get draft(): T | null {
    return this.#draft;
  }

  /** Null closes it. A draft about the same, such as one based on newer settings, goes on with what was typed. */
  set draft(draft: T | null) {
    const isSame = this.#draft !== null && draft !== null && this.#subject(this.#draft) === this.#subject(draft);
    if (!isSame) this.#opened = JSON.stringify(draft);
    this.#draft = draft;
  }

  /** Whether it differs from what it was opened with. */
  get dirty(): boolean {
    return this.#draft !== null && JSON.stringify(this.#draft) !== this.#opened;
  }
}
