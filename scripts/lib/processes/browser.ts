// The browser of the end-to-end tests: the one named in $CHROMIUM, the one inside @sparticuz/chromium, or the system's.
import { type Browser, type BrowserContext, chromium } from 'playwright';
import { findBinary, isExecutable } from './find-binary.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** As root in a container there is no sandbox and no GPU; @sparticuz/chromium's own list would switch web security off. */
const OPTIONS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/**
 * Starts a headless Chromium. Undefined when the machine has none: the caller skips its tests, visibly. With REQUIRE_SERVICES=1 a
 * missing browser is an error.
 */
export async function launchBrowser(): Promise<Browser | undefined> {
  const executablePath = await findChromium();
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: OPTIONS });
  if (process.env.REQUIRE_SERVICES === '1')
    throw new Error(`${MISSING_BROWSER} REQUIRE_SERVICES=1 does not allow that.`);
  return undefined;
}

/** The same with its profile in this folder, open to developer tools on this port. Undefined when the machine has no Chromium. */
export async function launchProfile(folder: string, port: number): Promise<BrowserContext | undefined> {
  const executablePath = await findChromium();
  const args = [...OPTIONS, `--remote-debugging-port=${port}`];
  return executablePath === undefined ? undefined : chromium.launchPersistentContext(folder, { executablePath, args });
}

export const MISSING_BROWSER = 'No Chromium: set CHROMIUM to its path, or `apt-get install chromium`.';

/**
 * Path of a Chromium that can run here, or undefined. The packed one comes first where it runs: it is Chromium's headless shell,
 * which needs a fifth less time than a whole browser for the same tests, and every machine tests with the same version. It is
 * unpacked into the temp folder (under 1 s).
 */
export async function findChromium(): Promise<string | undefined> {
  const named = process.env.CHROMIUM;
  if (named !== undefined && named !== '') return named;
  return (await unpack()) ?? NAMES.map((name) => findBinary(name)).find((path) => path !== undefined);
}

async function unpack(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  // Must be set before the import: it makes the package unpack the shared libraries that a bare machine lacks.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs24.x';
  const packed = await import('@sparticuz/chromium');
  const path = await packed.default.executablePath();
  // Another user of this machine may have unpacked it for themselves.
  return isExecutable(path) ? path : undefined;
}
