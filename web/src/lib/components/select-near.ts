// Selects a text on the page, for a user who has to copy it by hand.

/** How far from `element` the text may stand, in steps up the document. */
const STEPS = 3;

/** Selects the element with exactly this text that is closest to `element`. Returns whether there is one. */
export function selectNear(element: Element, text: string): boolean {
  let around: Element | null = element;
  for (let step = 0; step < STEPS && around !== null; step += 1) {
    around = around.parentElement;
    const found = [...(around?.querySelectorAll('*') ?? [])].findLast((one) => shows(one, text));
    if (found === undefined) continue;
    getSelection()?.selectAllChildren(found);
    return true;
  }
  return false;
}

const shows = (element: Element, text: string): boolean =>
  element.textContent.trim() === text.trim() && element.checkVisibility();
