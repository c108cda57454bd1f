// Setup of every test file of the web app: applies the common wait limits, also to Testing Library.
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeouts.ts';

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/svelte');
  configure({ asyncUtilTimeout: WAIT_TIMEOUT_MS });
}
