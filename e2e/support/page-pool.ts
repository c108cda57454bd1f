// Keeps the pages of finished tests for later ones: an open page loads the application in a third of the time.
import type { Browser, BrowserContext, BrowserContextOptions, Disposable, Page } from 'playwright';

/** The timeout of one page step on a slow machine, in milliseconds; no test waits it out. */
const STEP_TIMEOUT_MS = 90_000;
/** Idle pages that are kept: each costs memory, and few tests use more than three. */
const KEPT = 3;
/** In milliseconds; a page that takes longer is closed. */
const RESET_TIMEOUT_MS = 5000;
const VIEWPORT = { width: 1440, height: 900 };
/** What tests listen for. `close` is not among them: Playwright itself listens for it. */
const PAGE_EVENTS = ['console', 'dialog', 'pageerror', 'framenavigated', 'request', 'response'] as const;

/** Changes to a page that outlive its document: they are undone afterwards, or the page is not used again. */
const LASTING = {
  page: ['addInitScript', 'exposeFunction', 'exposeBinding', 'routeWebSocket', 'setExtraHTTPHeaders'],
  context: ['addInitScript', 'exposeFunction', 'exposeBinding', 'routeWebSocket', 'newCDPSession', 'setOffline'],
  clock: ['install', 'pauseAt', 'setFixedTime', 'setSystemTime'],
} as const;

interface Kept {
  page: Page;
  /** Undoes the lasting changes of a test. */
  undo: (() => Promise<void>)[];
  /** A test made a change that cannot be undone. */
  spent: boolean;
}

const idle: Kept[] = [];
const taken = new WeakMap<Page, Kept>();

/** A separate browser without a page. */
export async function newContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: VIEWPORT, ...options });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  return context;
}

/** A page without cookies and storage, in a context of its own. `returnPage` takes it back. */
export async function takePage(browser: Browser): Promise<Page> {
  for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) if (!kept.page.isClosed()) return kept.page;
  const page = await (await newContext(browser)).newPage();
  const kept: Kept = { page, undo: [], spent: false };
  const targets = { page, context: page.context(), clock: page.clock };
  for (const [name, methods] of Object.entries(LASTING))
    for (const method of methods) noteCalls(targets[name as keyof typeof targets], method, kept);
  taken.set(page, kept);
  return page;
}

/** Notes each call of this method. */
function noteCalls(target: object, method: string, kept: Kept): void {
  const call = Reflect.get(target, method) as (...args: unknown[]) => Promise<Partial<Disposable> | undefined>;
  Object.assign(target, {
    [method]: async (...args: unknown[]) => {
      const made = await call.apply(target, args);
      if (made?.dispose === undefined) kept.spent = true;
      else kept.undo.push(() => (made as Disposable).dispose());
      return made;
    },
  });
}

/** Takes a page back, as it is at the end of a test, from the server at `url`. One that cannot be as new again is closed. */
export async function returnPage(page: Page, url: string): Promise<void> {
  const kept = taken.get(page);
  const wanted = kept !== undefined && !kept.spent && !page.isClosed() && idle.length < KEPT;
  if (wanted && (await reset(kept, url))) idle.push(kept);
  else await page.context().close();
}

/** Removes what the test left. False when that failed, for instance because the server is down. */
async function reset({ page, undo }: Kept, url: string): Promise<boolean> {
  const context = page.context();
  context.removeAllListeners('page');
  const others = context.pages().filter((other) => other !== page);
  await Promise.all(others.map((other) => other.close()));
  for (const event of PAGE_EVENTS) page.removeAllListeners(event);
  // The application asks before a page with unsaved changes closes.
  const accept = (dialog: { accept(): Promise<void> }) => void dialog.accept();
  page.on('dialog', accept);
  try {
    await Promise.all([page.unrouteAll(), context.unrouteAll(), ...undo.splice(0).map((each) => each())]);
    // A document of the same address without scripts: nothing can write to the storage again.
    const answer = await page.goto(`${url}/healthz`, { timeout: RESET_TIMEOUT_MS });
    if (answer?.ok() !== true) return false;
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
      window.name = '';
    });
    await Promise.all([context.clearCookies(), context.clearPermissions(), page.setViewportSize(VIEWPORT)]);
    await page.emulateMedia({
      media: null,
      colorScheme: null,
      reducedMotion: null,
      forcedColors: null,
      contrast: null,
    });
    // Out of the page: under a pointer the list is anchored (QU1).
    await page.mouse.move(-1, -1);
    return true;
  } catch {
    return false;
  } finally {
    page.off('dialog', accept);
  }
}
