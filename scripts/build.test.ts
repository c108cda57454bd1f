// Tests that a start runs the bundle of exactly its sources and packages, and the sources where there is none.
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);
let folder: string;

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const service = (greeting: string) =>
  write(
    'server/src/service.ts',
    `import { name } from 'a-package';\nconsole.log('${greeting}', name, import.meta.url);\n`,
  );

/** What npm has installed, by its list; the test of one without it removes the list. */
function installed(...packages: { name: string; version: string; dev?: boolean }[]): void {
  const entries = packages.map(({ name, ...entry }) => [`node_modules/${name}`, entry]);
  write('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(entries) as unknown }));
}

/** A repository whose service prints one line. */
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-build-')));
  const parts = ['lib/commands/read-flags.ts', 'lib/processes/server-bundle.ts'];
  const files = ['build.ts', 'build-web.ts', ...parts].map((file) => `scripts/${file}`);
  for (const file of [...files, 'server/src/main.ts', 'server/src/bundle.ts', 'package.json'])
    cpSync(join(ROOT, file), join(folder, file));
  mkdirSync(join(folder, 'node_modules/a-package'), { recursive: true });
  write('node_modules/a-package/package.json', '{ "name": "a-package", "type": "module", "exports": "./index.js" }');
  write('node_modules/a-package/index.js', `export const name = 'reader';\n`);
  installed({ name: 'a-package', version: '1.0.0' });
  service('hello');
});
afterEach(() => rmSync(folder, { recursive: true }));

const withBundler = () =>
  symlinkSync(join(ROOT, 'node_modules/rolldown'), join(folder, 'node_modules/rolldown'), 'dir');
const build = (...flags: string[]) => run(process.execPath, [join(folder, 'scripts/build.ts'), ...flags]);
const bundles = () => readdirSync(join(folder, 'server')).filter((name) => name.startsWith('build-'));

/** What the service prints, and where it runs from. */
async function started(): Promise<string> {
  const { stdout } = await run(process.execPath, [join(folder, 'server/src/main.ts')]);
  return stdout
    .trim()
    .replace(`file://${folder}/`, '')
    .replace(/build-\w+/, 'build-…');
}

const FROM_BUNDLE = 'hello reader server/build-…/service.mjs';
const FROM_SOURCES = 'hello reader server/src/service.ts';

describe('a start', () => {
  beforeEach(withBundler);

  it('runs the bundle, which is built once', async () => {
    expect((await build()).stdout).toMatch(/^server: bundled in \d+\.\d s\n$/);
    expect(await build()).toEqual({ stdout: '', stderr: '' });
    expect(bundles()).toHaveLength(1);
    expect(await started()).toBe(FROM_BUNDLE);
  });

  it('runs the sources when they changed since, until they are bundled, too', async () => {
    await build();
    service('good day');
    expect(await started()).toBe(FROM_SOURCES.replace('hello', 'good day'));
    await build();
    expect(await started()).toBe(FROM_BUNDLE.replace('hello', 'good day'));
    service('hello');
    expect(await started()).toBe(FROM_BUNDLE);
  });

  it('runs the sources when other packages were installed since, except packages of development', async () => {
    await build();
    installed({ name: 'a-package', version: '1.0.0' }, { name: 'a-tool', version: '1.0.0', dev: true });
    expect(await started()).toBe(FROM_BUNDLE);
    installed({ name: 'a-package', version: '1.0.1' });
    expect(await started()).toBe(FROM_SOURCES);
    rmSync(join(folder, 'node_modules/.package-lock.json'));
    expect(await started()).toBe(FROM_SOURCES);
  });

  it('runs the bundle when only a test changed', async () => {
    await build();
    write('server/src/service.test.ts', '');
    expect(await started()).toBe(FROM_BUNDLE);
  });

  it('runs the sources when what they are made of cannot be read', async () => {
    await build();
    write('node_modules/.package-lock.json', '{');
    expect(await started()).toBe(FROM_SOURCES);
    installed({ name: 'a-package', version: '1.0.0' });
    // Editors make such a link beside a file that they have open.
    symlinkSync('user@host.1', join(folder, 'server/src/.#service.ts'));
    expect(await started()).toBe(FROM_SOURCES);
  });

  it.each([
    ['its removal was interrupted', (program: string) => rmSync(program)],
    ['a power cut left its program empty', (program: string) => writeFileSync(program, '')],
  ])('runs the sources when %s, and the next build completes it', async (_, damage) => {
    await build();
    const [name = ''] = bundles();
    damage(join(folder, 'server', name, 'service.mjs'));
    expect(await started()).toBe(FROM_SOURCES);
    expect((await build()).stderr).toBe('');
    expect(await started()).toBe(FROM_BUNDLE);
  });

  it('runs the sources when the folder of the bundle was removed', async () => {
    await build();
    for (const name of bundles()) rmSync(join(folder, 'server', name), { recursive: true });
    expect(await started()).toBe(FROM_SOURCES);
  });
});

it('a build removes bundles older than a day but the newest, whose process may load some parts late', async () => {
  withBundler();
  const age = (days: number, name: string) => {
    const at = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    utimesSync(join(folder, 'server', name), at, at);
  };
  await build();
  const [first = ''] = bundles();
  age(3, first);
  service('good day');
  await build();
  const [second = ''] = bundles().filter((name) => name !== first);
  expect(bundles()).toContain(first);
  age(2, second);
  service('good evening');
  await build();
  expect(bundles()).toHaveLength(2);
  expect(bundles()).toContain(second);
});

/** In place of rolldown: while it bundles, a build of the same sources beside it ends. */
const SLOWER = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  import { bundleOf } from '../../server/src/bundle.ts';
  export function build() {
    const { folder, program } = bundleOf(import.meta.dirname + '/../..');
    mkdirSync(folder);
    writeFileSync(program, 'console.log("the faster one")');
    return { output: [{ type: 'chunk', fileName: 'service.mjs', code: '', moduleIds: [] }] };
  }
`;

it('a build leaves the bundle of a faster one as it is, and nothing else', async () => {
  mkdirSync(join(folder, 'node_modules/rolldown'));
  write('node_modules/rolldown/package.json', '{ "type": "module", "exports": "./index.js" }');
  write('node_modules/rolldown/index.js', SLOWER);
  expect((await build()).stderr).toBe('');
  expect(await started()).toBe('the faster one');
  expect(bundles()).toHaveLength(1);
});

describe('a build that fails', () => {
  const REASON = /not bundled, so it starts from its sources, which takes longer: .*rolldown/;

  it('says why before the start, which runs the sources', async () => {
    expect((await build()).stderr).toMatch(REASON);
    expect(await started()).toBe(FROM_SOURCES);
  });

  it('fails `npm run build`', async () => {
    await expect(build('--force')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('rolldown') as string,
    });
  });

  it('refuses a source behind a link, which the hash does not cover', async () => {
    withBundler();
    const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-linked-')));
    writeFileSync(join(elsewhere, 'name.ts'), 'export const name = 1;\n');
    symlinkSync(elsewhere, join(folder, 'server/src/linked'), 'dir');
    write('server/src/service.ts', `export * from './linked/name.ts';\n`);
    const { stderr } = await build();
    rmSync(elsewhere, { recursive: true });
    expect(stderr).toContain(`made of more than its hash covers: ${join(elsewhere, 'name.ts')}`);
    expect(bundles()).toEqual([]);
  });

  it('refuses a source that the hash does not cover, and leaves nothing', async () => {
    withBundler();
    write('server/other.ts', 'export const name = 1;\n');
    write('server/src/service.ts', `export * from '../other.ts';\n`);
    expect((await build()).stderr).toContain(`made of more than its hash covers: ${join(folder, 'server/other.ts')}`);
    expect(bundles()).toEqual([]);
  });
});
