// Set up for every test file: how long `vi.waitFor` and `vi.waitUntil` wait for what has to come. A slow machine is no fault, and nothing is ever waited out.
import { vi } from 'vitest';

/** Less than a test may take, so that what was missing is told. In milliseconds. */
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
