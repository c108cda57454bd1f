// How pictures are shown in this browser: in colour, unless the user chose otherwise.
import { browserStorage } from '#lib/drafts/drafts.ts';

const KEY = 'countersign.pictures.grey';

class Pictures {
  #grey = $state(browserStorage()?.getItem(KEY) === 'true');

  /** Without colour, for users who view much disturbing content. */
  get grey(): boolean {
    return this.#grey;
  }

  set grey(grey: boolean) {
    this.#grey = grey;
    try {
      browserStorage()?.setItem(KEY, String(grey));
    } catch {
      // The choice lasts until the page is left.
    }
  }
}

export const pictures = new Pictures();
