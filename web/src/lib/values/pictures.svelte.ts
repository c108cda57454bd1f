// How pictures are shown in this browser: in colour, unless the reader chose otherwise.
import { browserStorage } from '#lib/drafts/drafts.ts';

const KEY = 'countersign.pictures.grey';

class Pictures {
  #grey = $state(browserStorage()?.getItem(KEY) === 'true');

  /** Without colour, for whoever is to look at much that is hard to look at. */
  get grey(): boolean {
    return this.#grey;
  }

  set grey(grey: boolean) {
    this.#grey = grey;
    try {
      browserStorage()?.setItem(KEY, String(grey));
    } catch {
      // It holds until the page is left.
    }
  }
}

export const pictures = new Pictures();
