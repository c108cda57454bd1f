// Sets the timeouts of `vi.waitFor` and `vi.waitUntil` in every test file, long enough for a slow machine.
import { vi } from 'vitest';

/** In milliseconds, less than the test timeout, so that the message says what was missing. */
export const WAIT_TIMEOUT_MS = 20_000;

type Options = Parameters<typeof vi.waitFor>[1];
const withTimeout = (options: Options) => ({
  timeout: WAIT_TIMEOUT_MS,
  ...(typeof options === 'number' ? { timeout: options } : options),
});

// Files share a process, and this runs before each of them: once is enough.
if (!('isPatient' in vi.waitFor)) {
  const { waitFor, waitUntil } = vi;
  const waitForWithTimeout: typeof vi.waitFor = (callback, options) => waitFor(callback, withTimeout(options));
  const waitUntilWithTimeout: typeof vi.waitUntil = (callback, options) => waitUntil(callback, withTimeout(options));
  Object.assign(vi, {
    waitFor: Object.assign(waitForWithTimeout, { isPatient: true }),
    waitUntil: waitUntilWithTimeout,
  });
}
