// The `web` project of the root's vitest.config.ts. Schemas are real here, unlike in the browser build.
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineProject } from 'vitest/config';

export default defineProject({
  plugins: [svelte({ configFile: false }), svelteTesting()],
  define: { __DEMO__: 'true' },
  test: {
    name: 'web',
    // Pure files run in Node; a file that mounts a component asks for `@vitest-environment happy-dom` in its first comment.
    environment: 'node',
    testTimeout: 15_000,
    include: ['src/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Packages of components are compiled as ours are.
    server: { deps: { inline: ['@lucide/svelte', 'bits-ui'] } },
  },
});
