// Setup of every test file of the web app: the common wait limits, and nothing of the file before in the same process.
import { vi } from 'vitest';
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeouts.ts';

vi.useRealTimers();
vi.unstubAllGlobals();

if (typeof document !== 'undefined') {
  const { cleanup, configure } = await import('@testing-library/svelte');
  configure({ asyncUtilTimeout: WAIT_TIMEOUT_MS });
  cleanup();
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
}
