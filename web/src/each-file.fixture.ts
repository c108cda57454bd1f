// Setup of every test file of the web app: the common wait limits, and nothing of the file before in the same process.
import { afterEach, vi } from 'vitest';
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeouts.ts';

vi.useRealTimers();
vi.unstubAllGlobals();

/** What no test answers, such as a request after its end, fails as without a network: it never reaches what listens at that address. */
globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));

/**
 * Time limits of requests follow the test's clock and end with the test. A request that a test leaves open would otherwise time out
 * seconds later, in another file, and what its page then does would reach the fake server of that file.
 */
const limits = new Set<ReturnType<typeof setTimeout>>();
AbortSignal.timeout = (ms) => {
  const controller = new AbortController();
  limits.add(setTimeout(() => controller.abort(new DOMException('The request took too long.', 'TimeoutError')), ms));
  return controller.signal;
};
afterEach(() => {
  for (const limit of limits) clearTimeout(limit);
  limits.clear();
});

if (typeof document !== 'undefined') {
  const { cleanup, configure } = await import('@testing-library/svelte');
  configure({ asyncUtilTimeout: WAIT_TIMEOUT_MS });
  cleanup();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
}
