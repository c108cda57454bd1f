// Build plugin that reduces the Latin fonts to the weights and OpenType features that pages use, which halves their size.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'vite';

const { resolve } = createRequire(import.meta.url);
const CACHE = join(import.meta.dirname, '../node_modules/.cache/fonts');

/** The weights of the type scale, and bold, which answers may contain. */
const WEIGHTS = { min: 400, max: 700 };
/** Composition, marks, local forms and kerning: what text needs. */
const BASIC = ['ccmp', 'locl', 'mark', 'mkmk', 'kern'];
/** In the name table: copyright, and the Open Font License with its address. */
const LICENSE_NAMES = [0, 13, 14];

const FONTS: Readonly<Record<string, { from: string; features: string[] }>> = {
  // Digits of one width are used everywhere.
  'inter-latin-wght-normal.woff2': { from: '@fontsource-variable/inter', features: [...BASIC, 'calt', 'tnum'] },
  // Code is shown without ligatures.
  'jetbrains-mono-latin-wght-normal.woff2': { from: '@fontsource-variable/jetbrains-mono', features: BASIC },
};

/** Replaces the Latin fonts in the style sheet. Other writing systems keep their files, which load when needed. */
export function smallFonts(): Plugin {
  return {
    name: 'countersign:small-fonts',
    // Runs after Tailwind, which inlines the imports, and before Vite replaces the URLs by those of the build.
    enforce: 'pre',
    transform: {
      filter: { id: /\/web\/src\/app\.css$/ },
      handler: async (css, id) => {
        let smaller = css;
        for (const [file, { from, features }] of Object.entries(FONTS)) {
          const font = await reduced(dirname(resolve(`${from}/package.json`)), file, features);
          const before = smaller;
          smaller = before.replace(urlOf(file), `url(${JSON.stringify(relative(dirname(id), font))})`);
          if (smaller === before) throw new Error(`app.css does not name ${file}.`);
        }
        return { code: smaller, map: null };
      },
    },
  };
}

const urlOf = (file: string): RegExp => new RegExp(String.raw`url\(['"]?[^()'"]*${RegExp.escape(file)}['"]?\)`);

/** The path of the reduced font. Every character that the style sheet takes from it stays. */
async function reduced(folder: string, file: string, features: string[]): Promise<string> {
  const font = readFileSync(join(folder, 'files', file));
  const { latin } = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) as { latin: string };
  const options = {
    targetFormat: 'woff2' as const,
    keepFeatures: features,
    variationAxes: { wght: WEIGHTS },
    preserveNameIds: LICENSE_NAMES,
  };
  const hash = createHash('sha256')
    .update(font)
    .update(JSON.stringify([latin, options]));
  const made = join(CACHE, hash.digest('hex').slice(0, 16), file);
  if (existsSync(made)) return made;
  const { default: subsetFont } = await import('subset-font');
  mkdirSync(dirname(made), { recursive: true });
  // Two builds may run at the same time.
  const unfinished = `${made}.${process.pid}`;
  writeFileSync(unfinished, await subsetFont(font, charactersIn(latin), options));
  renameSync(unfinished, made);
  return made;
}

/** The characters of a `unicode-range`. */
function charactersIn(range: string): string {
  return range
    .split(',')
    .flatMap((part) => {
      const [from = 0, to = from] = part
        .replace('U+', '')
        .split('-')
        .map((hex) => parseInt(hex, 16));
      return Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));
    })
    .join('');
}
