// Measures paints in a page for the page bench. Runs in the browser, so it uses no outer variables.
import type { Page } from 'playwright';

interface PageProbe {
  /** Milliseconds from the start of the navigation until the first lines were painted. */
  firstLines: number | null;
  /** When each line was first painted, in ms since the epoch. */
  painted: Record<string, number>;
  /** From a key press to the next paint, in ms, for those slow enough that the browser reports them. */
  keys: number[];
  /** The largest distance of the watched line from its place, in px. */
  moved: number;
}

const probeOf = (): PageProbe => (window as unknown as { benchProbe: PageProbe }).benchProbe;

/** From the next navigation on. */
export async function installProbe(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const probe: PageProbe = { firstLines: null, painted: {}, keys: [], moved: 0 };
    Object.assign(window, { benchProbe: probe });
    const LINE = '[data-line]';
    // After the frame that shows it.
    const whenPainted = (callback: () => void) => requestAnimationFrame(() => setTimeout(callback));
    const seen = new Set<string>();
    new MutationObserver(() => {
      const fresh = [...document.querySelectorAll(LINE)]
        .map((line) => line.getAttribute('data-line') ?? '')
        .filter((id) => !seen.has(id));
      if (fresh.length === 0) return;
      for (const id of fresh) seen.add(id);
      whenPainted(() => {
        probe.firstLines ??= performance.now();
        for (const id of fresh) probe.painted[id] = Date.now();
      });
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') probe.keys.push(duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  });
}

/** Waits for the first lines; the ms it took from the start of the navigation. */
export async function firstLines(page: Page): Promise<number> {
  const handle = await page.waitForFunction(
    () => (window as unknown as { benchProbe: PageProbe }).benchProbe.firstLines,
  );
  return (await handle.jsonValue()) ?? NaN;
}

/** When these lines were painted, in ms since the epoch; waits for all of them. */
export async function paintedAt(page: Page, ids: string[]): Promise<number[]> {
  const all = (wanted: string[]) => {
    const { painted } = (window as unknown as { benchProbe: PageProbe }).benchProbe;
    const times = wanted.map((id) => painted[id]);
    return times.includes(undefined) ? null : times;
  };
  const handle = await page.waitForFunction(all, ids);
  return ((await handle.jsonValue()) ?? []).map(Number);
}

/** The time from a key press to the next paint, for the slow ones; the browser reports none below 16 ms. */
export const slowKeys = (page: Page): Promise<number[]> => page.evaluate(probeOf).then(({ keys }) => keys);

/** Waits until the page has drawn this many frames. */
export const drawn = (page: Page, frames: number): Promise<void> =>
  page.evaluate(async (left) => {
    for (; left > 0; left -= 1) await new Promise(requestAnimationFrame);
  }, frames);

/** Records from now on how far the line under the pointer moves. */
export async function observeLine(page: Page, id: string): Promise<void> {
  await page.evaluate((line) => {
    const { benchProbe: probe } = window as unknown as { benchProbe: PageProbe };
    const element = document.querySelector(`[data-line="${line}"]`);
    if (element === null) throw new Error('The line is not on the page.');
    const top = element.getBoundingClientRect().top;
    const measure = () => {
      probe.moved = Math.max(
        probe.moved,
        element.isConnected ? Math.abs(element.getBoundingClientRect().top - top) : 9999,
      );
      requestAnimationFrame(measure);
    };
    measure();
  }, id);
}

export const lineShiftOn = (page: Page): Promise<number> => page.evaluate(probeOf).then(({ moved }) => moved);

/** Presses a key; the ms until a frame shows at least so many elements. */
export async function keyToPaint(
  page: Page,
  { key, shows, count }: { key: string; shows: string; count: number },
): Promise<number> {
  const painted = page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        addEventListener(
          'keydown',
          () => {
            const pressed = performance.now();
            const look = () => {
              const there = document.querySelectorAll(wanted.shows).length >= wanted.count;
              // After the frame that shows them.
              requestAnimationFrame(() => (there ? setTimeout(() => resolve(performance.now() - pressed)) : look()));
            };
            look();
          },
          { capture: true, once: true },
        );
      }),
    { shows, count },
  );
  await drawn(page, 1);
  await page.keyboard.press(key);
  return painted;
}

/** Scrolls a box from its start by `px` a frame, for 600 frames or to its end; returns the ms between frames. Throws where it cannot scroll. */
export const scrollThrough = (page: Page, scroll: { box: string; px: number }): Promise<number[]> =>
  page.evaluate(async ({ box: selector, px }) => {
    const box = document.querySelector(selector);
    if (box === null) throw new Error('The box is not on the page.');
    const nextFrame = () => new Promise<number>(requestAnimationFrame);
    const frames: number[] = [];
    box.scrollTop = 0;
    await nextFrame();
    let before = await nextFrame();
    if (box.scrollHeight <= box.clientHeight) throw new Error('The box does not scroll.');
    while (frames.length < 600 && box.scrollTop + box.clientHeight < box.scrollHeight - 1) {
      box.scrollTop += px;
      const at = await nextFrame();
      frames.push(at - before);
      before = at;
    }
    return frames;
  }, scroll);
