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

/** A form that is always open and adds something: one text, and choices. It survives a change of the tab, but not leaving the page. */
export class AddForm<T extends object> {
  text = $state('');
  choices: T = $state({} as T); // set by the constructor; a class field with a rune needs a value here
  readonly #initial: T;

  /** `initial`: the choices that it begins with. */
  constructor(initial: T) {
    this.#initial = initial;
    this.choices = { ...initial };
  }

  /** Whether something is typed. A choice alone is quickly made again. */
  get dirty(): boolean {
    return this.text.trim() !== '';
  }

  /** What was sent is done with. What was typed meanwhile stays. */
  sent(text: string): void {
    if (this.text.trim() === text) this.text = '';
  }

  /** Begins with the first choices again. */
  forgetChoices(): void {
    this.choices = { ...this.#initial };
  }

  reset(): void {
    this.text = '';
    this.forgetChoices();
  }
}

/** The forms that add people, keys and sources. */
export class AddForms {
  readonly invite = new AddForm<{ role: Role; hours: '24' | '72' | '168' | '720' }>({ role: 'reviewer', hours: '72' });
  readonly member = new AddForm<{ role: Role }>({ role: 'reviewer' });
  /** `lasts` is in days; empty for a key without an end. */
  readonly key = new AddForm<{ access: 'all' | 'submit' | 'read'; lasts: string }>({ access: 'all', lasts: '' });
  readonly source = new AddForm({});

  /** Those of this tab. */
  on(tab: Tab): AddForm<object>[] {
    if (tab === 'people') return [this.invite, this.member];
    return tab === 'keys' ? [this.key, this.source] : [];
  }

  reset(): void {
    for (const form of [...this.on('people'), ...this.on('keys')]) form.reset();
  }
}
