// Tests that no page makes a test compile the whole of bits-ui.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withSingleComponents } from '../single-components.ts';

it('every import of bits-ui is rewritten to single components, which exist', () => {
  const sources = globSync('**/*.{svelte,ts}', { cwd: import.meta.dirname, exclude: ['**/*.test.ts'] })
    .map((path) => readFileSync(join(import.meta.dirname, path), 'utf8'))
    .filter((source) => source.includes(`from 'bits-ui'`));
  expect(sources).not.toEqual([]);
  const changed = sources.map(withSingleComponents).join('\n');
  expect(changed).not.toContain(`from 'bits-ui'`);
  const files = [...changed.matchAll(/from '([^']+\/bits-ui\/[^']+)'/g)].map(([, file = '']) => file);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

it('names of several words are found', () => {
  expect(withSingleComponents(`import { AlertDialog, Command } from 'bits-ui';`)).toMatch(
    /^import \{ AlertDialog \} from '.*\/alert-dialog\/index\.js'; import \{ Command \} from '.*\/command\/index\.js';$/,
  );
});
