// Tests the files of the built page: which modules come together, and that no files import each other.
import { describe, expect, it } from 'vitest';
import { cycleAmong, earlyAmong, nameFor, type Needed } from '../bundle-plugins.ts';

const KIT = '/node_modules/@sveltejs/kit/src/runtime/';

it.each<[string, Record<string, string[]>, string[] | null]>([
  ['a tree', { a: ['b', 'c'], b: ['c'], c: [] }, null],
  ['two files that import each other', { a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
  ['a file that is not part of the build', { a: ['other'] }, null],
])('QU16: finds the import cycle in %s', (_, imports, cycle) => {
  expect(cycleAmong(new Map(Object.entries(imports)))).toEqual(cycle);
});

it.each<[string, string[], string | null]>([
  ['its payload alone', ['client/payload.js'], null],
  ['the helper of lazy imports', ['\0vite/preload-helper.js', 'client/payload.js'], null],
  ['what reads the payload', ['client/payload.js', 'app/env/version.js'], `${KIT}app/env/version.js`],
])('QU16: nothing runs before the page says its version: the entry loads %s', (_, modules, early) => {
  const idOf = (name: string) => (name.startsWith('\0') ? name : `${KIT}${name}`);
  const files = [
    { fileName: 'start.js', imports: ['first.js'], moduleIds: [`${KIT}client/entry.js`] },
    { fileName: 'first.js', imports: ['more.js'], moduleIds: [] },
    { fileName: 'more.js', imports: [], moduleIds: modules.map(idOf) },
    { fileName: 'pages.js', imports: ['first.js'], moduleIds: [`${KIT}client/client.js`] },
  ];
  expect(earlyAmong(files)).toBe(early);
});

describe('the file of a module', () => {
  const [root, signIn, docs] = ['+layout.svelte', '+page.svelte', 'api/public/docs/+page.svelte'];
  const [app, queue] = ['(app)/+layout.svelte', '(app)/queue/+page.svelte'];
  const [rules, team] = ['(app)/rules/+page.svelte', '(app)/team/+page.svelte'];

  const needed = (eager: string[], more: Partial<Needed> = {}): Needed => ({
    ...{ eager, reached: eager, small: false },
    ...more,
  });
  const [RULES, TEAM] = ['-app-rules-page-svelte', '-app-team-page-svelte'];

  it.each<[string, Needed, string]>([
    ['every page', needed([root]), 'start'],
    ['sign-in and another', needed([signIn, rules]), 'start'],
    ['sign-in alone', needed([signIn], { small: true }), '-page-svelte'],
    ['the documentation and the queue', needed([docs, queue]), 'docs-shared'],
    ['all pages after sign-in', needed([app]), 'app'],
    ['the queue and another', needed([queue, rules]), 'app'],
    ['the queue alone', needed([queue], { small: true }), '-app-queue-page-svelte'],
    ['two other pages, small', needed([rules, team], { small: true }), 'app-small'],
    ['two other pages', needed([rules, team]), `${RULES}.${TEAM}`],
    ['the documentation and another', needed([docs, team], { small: true }), `api-public-docs-page-svelte.${TEAM}`],
    ['one page, and another later', needed([rules], { reached: [rules, team] }), `${RULES}~${RULES}.${TEAM}`],
  ])('that is needed by %s', (_, by, name) => expect(nameFor(by)).toBe(name));

  it('imports no file that imports it, for any pages that need both', () => {
    const pages = [root, signIn, docs, app, queue, rules, team];
    const sets = Array.from({ length: 2 ** pages.length - 1 }, (_, bits) =>
      pages.filter((_page, n) => ((bits + 1) >> n) & 1),
    );
    // What a module imports is needed by at least the same pages, and is small where the module is, or common.
    const files = new Map<string, Set<string>>();
    for (const eager of sets)
      for (const more of sets.filter((set) => eager.every((page) => set.includes(page))))
        for (const [small, smallImport] of [
          [true, true],
          [false, false],
          [false, true],
        ] as const) {
          const [from, to] = [nameFor(needed(eager, { small })), nameFor(needed(more, { small: smallImport }))];
          if (from === to) continue;
          files.set(from, (files.get(from) ?? new Set()).add(to));
        }
    expect(cycleAmong(new Map([...files].map(([name, imports]) => [name, [...imports]])))).toBeNull();
  });
});
