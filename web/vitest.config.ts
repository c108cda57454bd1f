// The common settings of the `web…` projects in the root's vitest.config.ts. Schemas are real here, not in the build.
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineProject } from 'vitest/config';
import { singleComponents } from './single-components.ts';
import { staticIcons } from './static-icons.ts';

export default defineProject({
  plugins: [singleComponents(), staticIcons(), svelte({ configFile: false }), svelteTesting()],
  define: { __DEMO__: 'true' },
  // A test replaces this module (vi.mock), and needs it to resolve: the router itself does not run here.
  resolve: {
    alias: { $app: fileURLToPath(new URL('../node_modules/@sveltejs/kit/src/runtime/app', import.meta.url)) },
  },
  test: {
    // Pure files run in Node; a file that mounts a component asks for `@vitest-environment happy-dom` in its first comment.
    environment: 'node',
    testTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    // Component packages are compiled as our own are.
    server: { deps: { inline: ['@lucide/svelte', 'bits-ui'] } },
  },
});
