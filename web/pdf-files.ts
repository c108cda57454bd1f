// A build plugin: the files that pdfjs-dist reads on demand, served from our own origin under their own names.
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const MANIFEST = createRequire(import.meta.url).resolve('pdfjs-dist/package.json');
const HOME = dirname(MANIFEST);
const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string };
/** The page finds them by the version it was built with (web/src/lib/values/media/pdf/pdf-file.ts). */
const FOLDER = `_app/immutable/pdf-${version}`;

/** Fonts that every reader has, the writing systems of Asia, and two picture formats without WebAssembly. */
const NEEDED: readonly [folder: string, name: RegExp][] = [
  ['standard_fonts', /\.(?:pfb|ttf)$/],
  ['cmaps', /\.bcmap$/],
  ['wasm', /_nowasm_fallback\.js$/],
];

const files = NEEDED.flatMap(([folder, name]) =>
  readdirSync(join(HOME, folder))
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file}`),
);

export function pdfFiles(): Plugin {
  return {
    name: 'countersign:pdf-files',
    applyToEnvironment: ({ name }) => name === 'client',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const file = files.find((each) => request.url === `/${FOLDER}/${each}`);
        if (file === undefined) return next();
        if (file.endsWith('.js')) response.setHeader('content-type', 'text/javascript');
        createReadStream(join(HOME, file)).pipe(response);
      });
    },
    generateBundle() {
      for (const file of files)
        this.emitFile({ type: 'asset', fileName: `${FOLDER}/${file}`, source: readFileSync(join(HOME, file)) });
    },
  };
}
