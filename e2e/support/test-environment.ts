// Provides what end-to-end tests need: a browser, an environment behind one address, a receiver, and pages with a clean console.
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

/** The timeout of one page step on a slow machine, in milliseconds; no test waits it out. */
const STEP_TIMEOUT_MS = 90_000;

/** Pages of one address. `close` returns the console errors that no test expected. */
export interface Pages extends Pick<BrowserEnvironment, 'visit' | 'enter' | 'openContext' | 'allowConsoleError'> {
  close(): Promise<string[]>;
}

/** Opens pages in this browser, which stays open when they close. Those that a test opens close at its end. */
export function pagesOf(browser: Browser, url: string): Pages {
  const faults: string[] = [];
  const allowedErrors: RegExp[] = [];
  const contexts: BrowserContext[] = [];
  const openContext = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    contexts.push(context);
    // A page left open after its test would keep drawing what the later tests do.
    if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => context.close());
    return context;
  };
  const open = async () => {
    const context = await openContext();
    const page = await context.newPage();
    recordConsoleErrors(page, faults);
    return page;
  };
  return {
    visit: async (wallet, path = '/') => {
      const page = await open();
      await injectWallet(page, wallet);
      await page.goto(url + path);
      return page;
    },
    enter: async ({ cookies }, path) => {
      const page = await open();
      // A cookie for this host alone has no domain: it is set by address, and counts as secure on localhost.
      const secureUrl = url.replace('http:', 'https:');
      const secured = [...cookies].map(([name, value]) => ({
        ...{ name, value, url: secureUrl },
        ...{ secure: true, httpOnly: true },
      }));
      await page.context().addCookies(secured);
      await page.goto(url + path);
      return page;
    },
    openContext,
    allowConsoleError: (fault) => void allowedErrors.push(fault),
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      return faults.filter((fault) => !allowedErrors.some((known) => known.test(fault)));
    },
  };
}

function recordConsoleErrors(page: Page, faults: string[]): void {
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => faults.push(error.message));
}
