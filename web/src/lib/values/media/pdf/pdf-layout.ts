// Where the pages of a PDF stand in their scrolled view, which of them are drawn, and with how many pixels (MP7).

export interface Size {
  width: number;
  height: number;
}

/** No page beyond these is shown: a view taller than that is not laid out by every browser. */
export const MOST_PAGES = 2000;
/** Of one page on its canvas, however far it is zoomed. */
export const MOST_PIXELS = 16_000_000;
/** CSS pixels per point when the page is fitted: a small page is not enlarged further. */
const LARGEST_FIT = 1.5;
/** CSS pixels: a page that is a long strip is shown small. */
const TALLEST = 4000;
/** CSS pixels: pages thinner than a line still have a place of their own. */
const THINNEST = 24;
/** CSS pixels between pages. */
export const GAP = 12;

/** CSS pixels per point that fit the page into the room. */
export function fitScale(page: Size, room: number): number {
  const [width, height] = [Math.max(page.width, 1), Math.max(page.height, 1)];
  return Math.min(LARGEST_FIT, room / width, TALLEST / height);
}

/** The page after quarter turns. */
export const turned = (page: Size, turns: number): Size =>
  turns % 2 === 0 ? page : { width: page.height, height: page.width };

/** Pixels of the canvas per CSS pixel: those of the screen, or fewer where the canvas would be too large. */
export function pixelRatio(shown: Size, screen: number): number {
  const area = Math.max(1, shown.width * shown.height);
  return Math.min(screen, Math.sqrt(MOST_PIXELS / area));
}

/** The top of each page, and the height of them all. */
export function placed(heights: readonly number[]): { tops: number[]; total: number } {
  const tops: number[] = [];
  let total = 0;
  for (const height of heights) {
    tops.push(total);
    total += Math.max(THINNEST, height) + GAP;
  }
  return { tops, total: Math.max(0, total - GAP) };
}

/** The index of the last page that begins at or above this place. */
export function pageAt(tops: readonly number[], place: number): number {
  let [low, high] = [0, tops.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/** The pages in view and one on each side, from and to, both included. */
export function pagesNear(
  tops: readonly number[],
  { top, height }: { top: number; height: number },
): { from: number; to: number } {
  return {
    from: Math.max(0, pageAt(tops, top) - 1),
    to: Math.min(Math.max(0, tops.length - 1), pageAt(tops, top + height) + 1),
  };
}
