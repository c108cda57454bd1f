// Set up for every test file: how long `vi.waitFor` and `vi.waitUntil` wait for what has to come. A slow machine is no fault, and nothing is ever waited out.
import { vi } from 'vitest';

/** Less than a test may take, so that what was missing is told. In milliseconds. */
export const PATIENCE_MS = 20_000;

type Options = Parameters<typeof vi.waitFor>[1];
const patient = (options: Options) => ({
  timeout: PATIENCE_MS,
  ...(typeof options === 'number' ? { timeout: options } : options),
});

// Files share a process, and this runs before each of them: once is enough.
if (!('isPatient' in vi.waitFor)) {
  const { waitFor, waitUntil } = vi;
  const waitsFor: typeof vi.waitFor = (callback, options) => waitFor(callback, patient(options));
  const waitsUntil: typeof vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
  Object.assign(vi, { waitFor: Object.assign(waitsFor, { isPatient: true }), waitUntil: waitsUntil });
}
