// Set up for every test file of the page: as all tests, and Testing Library too, wait for what has to come.
import { PATIENCE_MS } from '../../server/test/patience.ts';

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/svelte');
  configure({ asyncUtilTimeout: PATIENCE_MS });
}
