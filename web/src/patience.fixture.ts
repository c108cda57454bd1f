// Set up for every test file of the page: as all tests, and Testing Library too, wait for what has to come.
import { WAIT_TIMEOUT_MS } from '../../server/test/wait-timeouts.ts';

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/svelte');
  configure({ asyncUtilTimeout: WAIT_TIMEOUT_MS });
}
