// Test plugin: imports the components of bits-ui that a page names, instead of the whole package.
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const COMPONENTS = fileURLToPath(new URL('../node_modules/bits-ui/dist/bits', import.meta.url));
const IMPORT = /import \{ ([A-Z][\w, ]*) \} from 'bits-ui';/g;

/**
 * The one entry of bits-ui imports 42 components. A build drops what no page uses. A test that opens a dialog would compile all
 * of them, which takes longer than the rest of the test.
 */
export function singleComponents(): Plugin {
  return {
    name: 'countersign:single-components',
    enforce: 'pre',
    transform: {
      filter: { id: /\/web\/src\//, code: IMPORT },
      handler: (source) => ({ code: withSingleComponents(source), map: null }),
    },
  };
}

/** The same source, with the same lines: positions in errors stay right. */
export const withSingleComponents = (source: string): string =>
  source.replaceAll(IMPORT, (_, names: string) => importsOf(names));

const importsOf = (names: string): string =>
  names
    .split(', ')
    .map((name) => `import { ${name} } from '${COMPONENTS}/${folderOf(name)}/index.js';`)
    .join(' ');

/** `AlertDialog` is in `alert-dialog`. */
const folderOf = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
