// Tests the reduced fonts: they keep the characters of their style sheet and of our messages, and their licence.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { smallFonts } from '../font-files.ts';
import { readFont, type FontContents } from './read-font.fixture.ts';

const { resolve } = createRequire(import.meta.url);
const STYLE_SHEET = join(import.meta.dirname, 'app.css');
const MESSAGES = import.meta.glob<string>('./**/*messages.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
});
/** In messages, but in no Latin file: the fonts of the system have them. */
const FROM_SYSTEM = '⋯≥≤';

const FONTS = [
  ['inter', 'inter-latin-wght-normal.woff2'],
  ['jetbrains-mono', 'jetbrains-mono-latin-wght-normal.woff2'],
] as const;
const folderOf = (name: string) => join(resolve(`@fontsource-variable/${name}/package.json`), '..');

/** The style sheet as the build changes it. */
async function changedStyleSheet(): Promise<string> {
  const css = FONTS.map(([, file]) => `src: url(./files/${file}) format('woff2');`).join('\n');
  const { handler } = smallFonts().transform as unknown as {
    handler: (css: string, id: string) => Promise<{ code: string }>;
  };
  return (await handler(css, STYLE_SHEET)).code;
}

let css = '';
beforeAll(async () => {
  css = await changedStyleSheet();
});

function reducedFont(file: string): Buffer {
  const path = [...css.matchAll(/url\("([^"]+)"\)/g)].map(([, url]) => url!).find((url) => url.endsWith(file));
  return readFileSync(join(import.meta.dirname, path!));
}

it('leaves the files of other writing systems to load when needed', () => {
  const sheet = readFileSync(join(folderOf('inter'), 'wght.css'), 'utf8');
  expect(readFileSync(STYLE_SHEET, 'utf8')).toContain("@import '@fontsource-variable/inter/wght.css'");
  for (const script of ['cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese', 'latin-ext'])
    expect(sheet).toContain(`inter-${script}-wght-normal.woff2`);
  // A text with both takes each character from the file that has it.
  expect(readFont(readFileSync(join(folderOf('inter'), 'files/inter-greek-wght-normal.woff2'))).characters).toContain(
    0x3a9,
  );
});

describe.each(FONTS)('the reduced font %s', (name, file) => {
  let reduced: FontContents;
  let original: FontContents;
  let bytes: { reduced: number; original: number };
  beforeAll(() => {
    const [small, whole] = [reducedFont(file), readFileSync(join(folderOf(name), 'files', file))];
    bytes = { reduced: small.length, original: whole.length };
    reduced = readFont(small);
    original = readFont(whole);
  });

  it('has every character of the original that the style sheet takes from it', () => {
    const { latin } = JSON.parse(readFileSync(join(folderOf(name), 'unicode.json'), 'utf8')) as { latin: string };
    const ranges = latin.split(',').map((part) =>
      part
        .slice(2)
        .split('-')
        .map((hex) => parseInt(hex, 16)),
    );
    const isTaken = (code: number) => ranges.some(([from = 0, to = from]) => code >= from && code <= to);
    const missing = [...original.characters].filter((code) => isTaken(code) && !reduced.characters.has(code));
    expect(original.characters.size).toBeGreaterThan(200);
    expect(missing.map((code) => String.fromCodePoint(code))).toEqual([]);
  });

  it('has every character of our messages', () => {
    const used = new Set(Object.values(MESSAGES).join(''));
    expect(used.size).toBeGreaterThan(60);
    const missing = [...used].filter(
      (character) => character > ' ' && !reduced.characters.has(character.codePointAt(0)!),
    );
    expect(missing.filter((character) => !FROM_SYSTEM.includes(character))).toEqual([]);
  });

  it('says its copyright, and the address of its licence, as the original does', () => {
    expect(reduced.names.get(0)).toMatch(/^Copyright/);
    expect(reduced.names.get(14)).toMatch(/openfontlicense|OFL/);
    for (const id of [0, 13, 14]) expect(reduced.names.get(id)).toBe(original.names.get(id));
  });

  it('is much smaller', () => expect(bytes.reduced).toBeLessThan(bytes.original * 0.75));
});
