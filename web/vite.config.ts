// Build of the web app: a static single-page app, served by the server on the port of the API and the sockets.
import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';

const STUB_ID = '\0zod-stub';

/**
 * The endpoint objects carry zod schemas, which only the server runs: the browser needs method, path and the types, and the
 * types are gone after compilation. So `zod` becomes an object that answers every declaration with itself and refuses to parse.
 * It keeps about 60 KiB out of the first load.
 */
function withoutZod(): Plugin {
  return {
    name: 'countersign:without-zod',
    enforce: 'pre',
    resolveId: (source) => (source === 'zod' ? STUB_ID : undefined),
    load: (id) => (id === STUB_ID ? STUB : undefined),
  };
}

const STUB = `
const refuse = () => { throw new Error('schemas are not part of the browser build'); };
const parsers = new Set(['parse', 'safeParse', 'parseAsync', 'safeParseAsync']);
export const z = new Proxy(() => z, {
  get: (_, key) => (parsers.has(key) ? refuse : key === Symbol.iterator ? undefined : z),
  apply: () => z,
  ownKeys: () => [],
});
export default z;
`;

export default defineConfig({
  plugins: [
    withoutZod(),
    tailwindcss(),
    sveltekit({
      adapter: adapter({
        pages: process.env.WEB_OUT ?? 'build',
        fallback: '200.html',
        precompress: true,
      }),
    }),
  ],
  define: {
    // The burner wallet is imported behind this constant, so its code is not in an ordinary build at all.
    __DEMO__: JSON.stringify(process.env.DEMO === 'true'),
  },
  // The content security policy takes fonts and images from our own address only, so nothing is inlined as data.
  build: { assetsInlineLimit: 0 },
  server: {
    // The documentation shows the files of docs/snippets.
    fs: { allow: ['../docs/snippets'] },
    proxy: {
      // All but the one page that lives below /api.
      '^/api/(?!public/docs)': 'http://127.0.0.1:3000',
      '/socket.io': { target: 'http://127.0.0.1:3000', ws: true },
    },
  },
});
