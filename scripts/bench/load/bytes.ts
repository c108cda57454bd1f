// Measures what a first visit of a page loads: scripts, fonts and JSON, and which questions it asks more than once.
import type { BrowserContext } from 'playwright';
import { type Load, repeatedIn } from './goals.ts';

/** A page that keeps asking is measured until here, in milliseconds. */
const MOST_MS = 15_000;

/** A page that has been idle for so long loads what its first screen does not need (`preload-on-interaction.ts`). */
const REST_MS = 3000;

/** Runs in the page: it is never idle for that long. A slow machine would count parts of later as parts of the first visit. */
function withoutRest(restMs: number): void {
  const original = window.setTimeout.bind(window);
  const wait = (action: () => void, ms?: number) => (ms === restMs ? 0 : original(action, ms));
  Object.assign(window, { setTimeout: wait });
}

interface Seen {
  type: string;
  url: string;
  isGet: boolean;
  sent: number;
}

/** Opens the address with an empty cache in a page of its own. Throws what the page throws. */
export async function measureLoad(context: BrowserContext, url: string): Promise<Load> {
  const page = await context.newPage();
  const failures: Error[] = [];
  page.on('pageerror', (error) => failures.push(error));
  await page.addInitScript(withoutRest, REST_MS);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.clearBrowserCache');
  const seen = new Map<string, Seen>();
  devtools.on('Network.requestWillBeSent', ({ requestId, request, type = '' }) => {
    seen.set(requestId, { type, url: request.url, isGet: request.method === 'GET', sent: 0 });
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = seen.get(requestId);
    if (one !== undefined) one.sent = encodedDataLength;
  });
  await page.goto(url, { waitUntil: 'networkidle', timeout: MOST_MS });
  await page.close();
  if (failures[0] !== undefined) throw failures[0];
  const all = [...seen.values()];
  const scripts = all.filter(({ type }) => type === 'Script');
  const json = all.filter(
    ({ type, url: of }) => /^(Fetch|XHR)$/.test(type) && new URL(of).pathname.startsWith('/api/'),
  );
  const packed = await Promise.all(scripts.map(({ url: of }) => brotliBytes(of)));
  return {
    scripts: {
      count: scripts.length,
      brotliKiB: packed.reduce((sum, one) => sum + one, 0) / 1024,
      sentKiB: sum(scripts),
    },
    fonts: sized(all.filter(({ type }) => type === 'Font')),
    json: sized(json),
    repeated: repeatedIn(
      json.filter(({ isGet }) => isGet).map(({ url: of }) => new URL(of).pathname + new URL(of).search),
    ),
  };
}

const sum = (all: Seen[]): number => all.reduce((bytes, { sent }) => bytes + sent, 0) / 1024;
const sized = (all: Seen[]) => ({ count: all.length, sentKiB: sum(all) });

/** A browser accepts Brotli over TLS alone, so the size is requested separately. */
async function brotliBytes(url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'br' } });
  await response.arrayBuffer();
  return Number(response.headers.get('content-length'));
}
