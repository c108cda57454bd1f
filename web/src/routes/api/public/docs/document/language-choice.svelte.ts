// The language that the reader has chosen: one for all boxes of the page, remembered across visits.
import { persisted } from '#lib/storage/persisted.ts';
import { LANGUAGES, type Language } from './languages.ts';

const known = (id: string | null): string | undefined => LANGUAGES.find((one) => one.id === id)?.id;

export class LanguageChoice {
  readonly #stored = persisted('countersign.docs-language', {
    parse: (text) => known(text) ?? 'curl',
    format: (id: string) => id,
  });
  #id = $state(this.#stored.read());

  get id(): string {
    return this.#id;
  }

  /** The chosen language in boxes that have fewer: `Python` for a framework of it. */
  get family(): string {
    return this.#language()?.family ?? '';
  }

  choose(id: string): void {
    this.#id = known(id) ?? this.#id;
    this.#stored.write(this.#id);
  }

  /** The choice in such a box. A framework of that language stays chosen. Returns false for another that is not among the languages. */
  chooseFamily(family: string): boolean {
    const first = LANGUAGES.find((one) => one.family === family);
    if (first !== undefined && family !== this.family) this.choose(first.id);
    return first !== undefined;
  }

  /** Chooses the language that the address names, such as `#python`. Does nothing where it names another part. */
  chooseByAddress(hash: string): void {
    const id = known(hash.slice(1));
    if (id !== undefined) this.choose(id);
  }

  #language(): Language | undefined {
    return LANGUAGES.find(({ id }) => id === this.#id);
  }
}

export const languageChoice = new LanguageChoice();
