// How pictures are shown in this browser: in colour, unless the user chose otherwise.
import { oneOf, persisted } from '../storage/persisted.ts';

const stored = persisted('countersign.pictures.grey', oneOf(['false', 'true']));

class Pictures {
  #grey = $state(stored.read() === 'true');

  /** Without colour, for users who view much disturbing content. */
  get grey(): boolean {
    return this.#grey;
  }

  set grey(grey: boolean) {
    this.#grey = grey;
    stored.write(grey ? 'true' : 'false');
  }
}

export const pictures = new Pictures();
