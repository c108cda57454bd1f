// Provides what end-to-end tests need: a browser, an environment behind one address, a receiver, and clean pages.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, TestRunner } from 'vitest';
import { launchBrowser } from '../../scripts/lib/processes/browser.ts';
import { openProject, type OpenProject } from '../../server/test/builders.ts';
import { makeWallet, person, type Person, type Wallet } from '../../server/test/client.ts';
import { startReceiver, type Receiver } from '../../server/test/receiver.ts';
import {
  type SharedTestEnvironment,
  showLogOnFailure,
  startTestEnvironment,
  type TestEnvironment,
} from '../../server/test/test-environment.ts';
import { startFrontProxy, type FrontProxy } from '../../scripts/lib/processes/tcp-proxy.ts';
import { injectWallet } from './injected-wallet.ts';
import { newContext, returnPage, takePage } from './page-pool.ts';

export interface BrowserEnvironment {
  /** Other files share it: a test must not stop, kill or configure its processes. */
  testEnv: SharedTestEnvironment;
  frontProxy: Pick<FrontProxy, 'url'>;
  receiver: Receiver;
  owner: Person;
  project: OpenProject;
  /** Opens a page in a separate browser with this wallet installed. Errors on its console fail the test. */
  visit(wallet: Wallet, path?: string): Promise<Page>;
  /** Opens a page in a separate browser with this person signed in. Errors on its console fail the test. */
  enter(reviewer: Person, path: string): Promise<Page>;
  /** A separate browser with an empty page, whose console is not checked. */
  openPage(): Promise<Page>;
  /** A separate browser without a page; the consoles of its pages are not checked. */
  openContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Console messages that the test itself causes. */
  allowConsoleError(fault: RegExp): void;
  close(): Promise<void>;
}

/** An environment whose processes and address serve one file alone. */
export interface OwnBrowserEnvironment extends BrowserEnvironment {
  testEnv: TestEnvironment;
  /** The one address of the processes; a test can cut it off and point it elsewhere. */
  frontProxy: FrontProxy;
}

let launched: Promise<Browser | undefined> | undefined;
/** One browser for all files of a worker process: a launch takes longer than most pages. Undefined: the machine has none. */
export function sharedBrowser(): Promise<Browser | undefined> {
  return (launched ??= launchBrowser().then((browser) => {
    browser?.once('disconnected', () => (launched = undefined));
    return browser;
  }));
}

interface ServerGroup {
  testEnv: TestEnvironment;
  frontProxy: FrontProxy;
}

async function openServerGroup(env: Record<string, string>): Promise<ServerGroup> {
  const frontProxy = await startFrontProxy();
  const testEnv = await startTestEnvironment({ env: { ...env, PUBLIC_BASE_URL: frontProxy.url } });
  frontProxy.serve(testEnv.urls);
  return { testEnv, frontProxy };
}

async function closeServerGroup({ testEnv, frontProxy }: ServerGroup): Promise<void> {
  await testEnv.stop();
  await frontProxy.close();
}

let shared: Promise<ServerGroup> | undefined;
/** Processes behind one address for all files of a worker that do not stop or configure them. */
const sharedServerGroup = (): Promise<ServerGroup> => (shared ??= openServerGroup({}));

/** Opens the environment of a test file: people, a project and pages of its own, on shared processes. */
export const useBrowserEnvironment = (): (() => BrowserEnvironment) => use(sharedServerGroup, () => Promise.resolve());

/** Opens the environment of a test file that kills, stops, cuts off or configures its processes. */
export const useOwnBrowserEnvironment = (env: Record<string, string> = {}): (() => OwnBrowserEnvironment) =>
  use(() => openServerGroup(env), closeServerGroup);

function use(
  open: () => Promise<ServerGroup>,
  closeServerGroup: (serverGroup: ServerGroup) => Promise<void>,
): () => OwnBrowserEnvironment {
  let opened: OwnBrowserEnvironment | undefined;
  beforeAll(async () => {
    const browser = await sharedBrowser();
    if (browser !== undefined) opened = await openBrowserEnvironment(browser, await open(), closeServerGroup);
  });
  showLogOnFailure(() => opened?.testEnv);
  afterAll(() => opened?.close());
  return () => {
    if (opened === undefined) throw new Error('The test environment is not open.');
    return opened;
  };
}

async function openBrowserEnvironment(
  browser: Browser,
  serverGroup: ServerGroup,
  closeServerGroup: (serverGroup: ServerGroup) => Promise<void>,
): Promise<OwnBrowserEnvironment> {
  const { testEnv, frontProxy } = serverGroup;
  const receiver = await startReceiver();
  const owner = await person(testEnv, makeWallet());
  const project = await openProject(owner, { receiver });
  const { close, ...pages } = pagesOf(browser, frontProxy.url);
  return {
    ...{ testEnv, frontProxy, receiver, owner, project, ...pages },
    close: async () => {
      const faults = await close();
      await closeServerGroup(serverGroup);
      await receiver.close();
      expect(faults, 'errors on the console of a page').toEqual([]);
    },
  };
}

/** Pages of one address. `close` returns the console errors that no test expected. */
export interface Pages extends Pick<
  BrowserEnvironment,
  'visit' | 'enter' | 'openPage' | 'openContext' | 'allowConsoleError'
> {
  close(): Promise<string[]>;
}

/** Opens pages in this browser, which stays open. Those that a test opens end with it. */
export function pagesOf(browser: Browser, url: string): Pages {
  const faults: string[] = [];
  const allowedErrors: RegExp[] = [];
  const open = new Set<(failed: boolean) => Promise<void>>();
  /** Ends at the end of the test, or of the file. A page left open would keep drawing what the later tests do. */
  const endLater = (end: (failed: boolean) => Promise<void>) => {
    open.add(end);
    if (TestRunner.getCurrentTest() === undefined) return;
    onTestFinished(async ({ task }) => {
      open.delete(end);
      await end(task.result?.state === 'fail');
    });
  };
  const openUnchecked = async () => {
    const page = await takePage(browser);
    // A page of a failed test is not used again: what is wrong with it is not known.
    endLater((failed) => (failed ? page.context().close() : returnPage(page, url)));
    return page;
  };
  const openPage = async () => {
    const page = await openUnchecked();
    recordConsoleErrors(page, faults);
    return page;
  };
  return {
    openPage: openUnchecked,
    visit: async (wallet, path = '/') => {
      const page = await openPage();
      await injectWallet(page, wallet);
      await page.goto(url + path);
      return page;
    },
    enter: async (reviewer, path) => {
      const page = await openPage();
      await page.context().addCookies(sessionCookies(reviewer, url));
      await page.goto(url + path);
      return page;
    },
    openContext: async (options) => {
      const context = await newContext(browser, options);
      endLater(() => context.close());
      return context;
    },
    allowConsoleError: (fault) => void allowedErrors.push(fault),
    close: async () => {
      await Promise.all([...open].map((end) => end(false)));
      return faults.filter((fault) => !allowedErrors.some((known) => known.test(fault)));
    },
  };
}

/** The cookies of a signed-in person, for the browser of a page at this address. */
export function sessionCookies({ cookies }: Person, url: string) {
  // A cookie for this host alone has no domain: it is set by address, and counts as secure on localhost.
  const secureUrl = url.replace('http:', 'https:');
  return [...cookies].map(([name, value]) => ({ name, value, url: secureUrl, secure: true, httpOnly: true }));
}

function recordConsoleErrors(page: Page, faults: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => faults.push(error.message));
}
