// What every end-to-end test stands on: a browser, a world behind one address, a receiver, and pages whose console stays clean.
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
  /** Other files use it after this one: it is not to be stopped, killed or configured. */
  testEnv: SharedTestEnvironment;
  frontProxy: Pick<FrontProxy, 'url'>;
  receiver: Receiver;
  owner: Person;
  project: OpenProject;
  /** Opens a page in a browser of its own, in which this wallet is installed. Errors on its console fail the test. */
  visit(wallet: Wallet, path?: string): Promise<Page>;
  /** Opens a page in a browser of its own in which this person is signed in already. Errors on its console fail the test. */
  enter(reviewer: Person, path: string): Promise<Page>;
  /** A browser of its own without a page; whatever is opened in it, nobody watches its console. */
  openContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** What a console may say, because the test brings it about. */
  allowConsoleError(fault: RegExp): void;
  close(): Promise<void>;
}

/** A house whose processes and address serve one file alone. */
export interface OwnBrowserEnvironment extends BrowserEnvironment {
  testEnv: TestEnvironment;
  /** The one address of the processes, which can be cut off and pointed elsewhere. */
  frontProxy: FrontProxy;
}

let launched: Promise<Browser | undefined> | undefined;
/** One for all files of a worker process, and gone with it: a start takes longer than most pages. Undefined: the machine has none. */
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
/** The processes behind one address for all files of a worker that do nothing to them, gone with it. */
const sharedServerGroup = (): Promise<ServerGroup> => (shared ??= openServerGroup({}));

/** The house of a test file: people, a project and pages of its own, on processes that it shares. */
export const useBrowserEnvironment = (): (() => BrowserEnvironment) => use(sharedServerGroup, () => Promise.resolve());

/** The house of a test file that kills, stops, cuts off or configures its processes. */
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

/** What a slow machine may take for one step of a page; nothing is ever waited out. In milliseconds. */
const STEP_TIMEOUT_MS = 90_000;

/** Pages of one address. `close` answers what they said on their consoles and has no excuse. */
export interface Pages extends Pick<BrowserEnvironment, 'visit' | 'enter' | 'openContext' | 'allowConsoleError'> {
  close(): Promise<string[]>;
}

/** Opens pages in this browser, which stays when they are closed. Those that a test opens are closed when it is over. */
export function pagesOf(browser: Browser, url: string): Pages {
  const faults: string[] = [];
  const allowedErrors: RegExp[] = [];
  const contexts: BrowserContext[] = [];
  const openContext = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    context.setDefaultTimeout(STEP_TIMEOUT_MS);
    contexts.push(context);
    // What a test opens goes with it: left open, it would draw whatever the tests after it do.
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
      // A cookie that is for this host alone has no domain: it is set by address, and on this machine counts as secure.
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
