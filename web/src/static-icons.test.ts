// Tests that icons are compiled with every attribute that a page gives them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AST, parse } from 'svelte/compiler';
import { describe, expect, it } from 'vitest';
import { ICON_ATTRIBUTES, staticIcon } from '../static-icons.ts';

const ICONS = fileURLToPath(new URL('.', import.meta.resolve('@lucide/svelte/icons/x')));
const IMPORT = /import (\w+) from '@lucide\/svelte\/icons\/[\w-]+'/g;

/** Every attribute of every icon in a page; `…` for attributes that only the running page knows. */
function attributesIn(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  // Components that hold an icon are called by names that end with it, such as `look.icon` and `Icon`.
  const imported = [...source.matchAll(IMPORT)].map(([, name]) => name);
  const isIcon = (name: string) => imported.includes(name) || /(^|\.)[iI]con$/.test(name);
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, name, attributes } = node as Partial<AST.Component>;
    if (type === 'Component' && name !== undefined && isIcon(name))
      for (const each of attributes ?? []) found.push(each.type === 'Attribute' ? each.name : '…');
    Object.values(node).forEach(visit);
  };
  visit(parse(source, { modern: true }).fragment);
  return found;
}

describe('icons', () => {
  it('are given no attribute that is not compiled', () => {
    const files = globSync('**/*.svelte', { cwd: import.meta.dirname }).map((path) => join(import.meta.dirname, path));
    const given = files.flatMap((file) => attributesIn(file).map((name) => `${name} in ${file}`));
    expect(given.length).toBeGreaterThan(100);
    const known = ICON_ATTRIBUTES.map((name) => `${name} in `);
    expect(given.filter((each) => !known.some((start) => each.startsWith(start)))).toEqual([]);
  });

  it('keep their shapes', () => {
    const built = staticIcon(readFileSync(join(ICONS, 'undo-2.svelte'), 'utf8'));
    expect(built).toContain('<path d="M9 14 4 9l5-5" />');
    for (const file of globSync('*.svelte', { cwd: ICONS }))
      expect(staticIcon(readFileSync(join(ICONS, file), 'utf8'))).toMatch(/<svg [^]*<\w+ [^]*\/><\/svg>\n$/);
  });

  it('refuse the source of another version', () => {
    expect(() => staticIcon('<script>const other = 1;</script>')).toThrow('does not know this version');
  });
});
