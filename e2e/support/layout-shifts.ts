// Records what moves on a page without an input: the browser's own layout shifts.
import type { Page } from 'playwright';

/** Smaller shifts are ignored: a word of the top bar may change its width, such as the state of the connection. */
const LEAST = 0.002;

/** The layout shift of one frame: its score, as browsers compute it, and the elements that moved, by their tags and classes. */
export interface Shift {
  value: number;
  moved: string[];
}

type Recorded = typeof globalThis & { shifts: Shift[] };

/**
 * Records the layout shifts of every document that the page loads from now on. Web fonts are left out: the packed Chromium has none
 * of the fallback fonts of app.css, so loading ours would move text. Shifts by fonts are therefore not tested.
 */
export async function recordShifts(page: Page): Promise<void> {
  // Empty instead of aborted: a failed request is an error on the console.
  await page.route('**/*.woff2', (route) => route.fulfill({ body: '' }));
  await page.addInitScript(() => {
    interface Entry extends PerformanceEntry {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null }[];
    }
    const shifts: Shift[] = ((globalThis as Recorded).shifts = []);
    const nameOf = ({ node }: { node: Node | null }) =>
      node instanceof Element ? `${node.localName}.${node.className}` : String(node?.nodeName);
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Entry[])
        if (!hadRecentInput) shifts.push({ value, moved: sources.map(nameOf) });
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** What has moved in the document so far, the last frame included. */
export async function shiftsOf(page: Page): Promise<Shift[]> {
  const shifts = await page.evaluate(async () => {
    // The shifts of a frame are reported after it.
    for (let frames = 0; frames < 2; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    return (globalThis as Recorded).shifts;
  });
  return shifts.filter(({ value }) => value >= LEAST);
}
