// Build of the web app: a static single-page app, served by the server on the port of the API and the sockets.
import { isMainThread } from 'node:worker_threads';
import { defineConfig, type UserConfig } from 'vite';
import {
  groupByPage,
  refuseEarlyCode,
  withoutServerData,
  withoutServerRendering,
  withSmallSockets,
} from './bundle-plugins.ts';
import { smallFonts } from './font-files.ts';
import { pdfFiles } from './pdf-files.ts';
import { staticIcons } from './static-icons.ts';

const isDemo = process.env.DEMO === 'true';

/**
 * SvelteKit analyses and prerenders in workers, which load this file again only for SvelteKit's own options. Those are its
 * defaults, so a worker gets none: loading the plugins would take a second or two in each. The packages are imported here, and
 * not above, for the same reason.
 */
export default defineConfig(async () => (isMainThread ? buildConfig() : {}));

async function buildConfig(): Promise<UserConfig> {
  const [{ sveltekit }, { default: adapter }, { default: tailwindcss }] = await Promise.all([
    import('@sveltejs/kit/vite'),
    import('@sveltejs/adapter-static'),
    import('@tailwindcss/vite'),
  ]);
  return {
    plugins: [
      withoutServerRendering(),
      withoutServerData(),
      withSmallSockets(),
      groupByPage(),
      refuseEarlyCode(),
      pdfFiles(),
      staticIcons(),
      tailwindcss(),
      // Takes seconds, and a demo's page comes from the same machine.
      ...(isDemo ? [] : [smallFonts()]),
      sveltekit({
        adapter: adapter({
          pages: process.env.WEB_OUT ?? 'build',
          fallback: '200.html',
          // Takes seconds: scripts/build-web.ts compresses the files of a demo.
          precompress: !isDemo,
        }),
      }),
    ],
    define: {
      // The demo wallet is imported behind this constant, so its code is not in an ordinary build at all.
      __DEMO__: JSON.stringify(isDemo),
    },
    // The content security policy allows fonts and images only from our own origin, so nothing is inlined as data.
    build: { assetsInlineLimit: 0 },
    server: {
      // The documentation shows the files of docs/snippets.
      fs: { allow: ['../docs/snippets'] },
      proxy: {
        // All but the one page below /api.
        '^/api/(?!public/docs)': 'http://127.0.0.1:3000',
        '/socket.io': { target: 'http://127.0.0.1:3000', ws: true },
      },
    },
  };
}
