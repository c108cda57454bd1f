// Builds the web app when its sources changed since the last build, using only Node's own modules.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readFlags } from './lib/commands/read-flags.ts';

const gzipped = promisify(gzip);

const ROOT = resolve(import.meta.dirname, '..');
const WEB = join(ROOT, 'web');
const STAMP = '.source-hash';
/** The inputs of a build: whole folders, single files. */
const SOURCES = [
  'web/src',
  'web/static',
  'web/package.json',
  'web/vite.config.ts',
  'web/bundle-plugins.ts',
  'web/font-files.ts',
  'web/pdf-files.ts',
  'web/static-icons.ts',
  'web/wide-selectors.ts',
  'web/tsconfig.json',
  'shared/src',
  'docs/snippets',
  'package-lock.json',
];

interface BuildOptions {
  /** Builds the flavour with the burner wallet, into `web/build-demo`. */
  demo?: boolean;
  /** Builds also when nothing changed. */
  force?: boolean;
}

/**
 * Builds one flavour of the web app when it is stale, and prints one line. Returns its folder, or null when there is no
 * web app to build. Throws when the build fails, after its output was shown. Runs before everything else, so this file
 * imports only modules of Node.
 */
export async function buildWeb(options: BuildOptions = {}): Promise<string | null> {
  const { built } = await beginBuild(options);
  return built;
}

/** Resolves when the build runs in a process of its own, or is not needed: `built` is what `buildWeb` returns. */
export async function beginBuild({ demo = false, force = false }: BuildOptions = {}): Promise<{
  built: Promise<string | null>;
}> {
  if (!existsSync(join(WEB, 'src'))) return { built: Promise.resolve(null) };
  const out = demo ? 'build-demo' : 'build';
  const folder = join(WEB, out);
  const startedAt = performance.now();
  // Read before Vite does: what changes while it builds is built the next time.
  const hash = sourceHash(demo);
  // Its failure is that of the build, which waits for it.
  hash.catch(() => undefined);
  const stamp = await readStamp(folder);
  if (!force && stamp !== null && stamp === (await hash)) return { built: Promise.resolve(folder) };
  const vite = run(binary('vite', 'vite'), ['build', '--logLevel', 'warn'], { WEB_OUT: out, DEMO: String(demo) });
  const finish = async () => {
    await vite;
    await writeDocs(folder);
    if (demo) await compress(folder);
    await writeFile(join(folder, STAMP), `${await hash}\n`);
    console.log(`web: built web/${out} in ${seconds(startedAt)}`);
    return folder;
  };
  return { built: finish() };
}

/** The page of the API documentation: like every other, with the programs in its HTML for visitors without scripts. */
async function writeDocs(folder: string): Promise<void> {
  const page = await readFile(join(folder, '200.html'), 'utf8');
  const snippets = join(ROOT, 'docs/snippets');
  const languages = JSON.parse(await readFile(join(snippets, 'languages.json'), 'utf8')) as PlainLanguage[];
  const programs = await Promise.all(
    languages.map(async (language, index) => {
      const code = await readFile(join(snippets, language.file), 'utf8');
      return plainLanguage(language, { code, isOpen: index === 0 });
    }),
  );
  const main = [
    '<main id="without-scripts" class="mx-auto flex max-w-240 flex-col gap-3 px-4 py-8">',
    '<h1 class="text-16 font-semibold">In your language</h1>',
    ...programs,
    '</main>',
  ].join('');
  await writeFile(
    join(folder, 'docs.html'),
    page.replace(/<body[^>]*>/, (body) => body + main),
  );
}

interface PlainLanguage {
  id: string;
  name: string;
  file: string;
  install: string;
  variables: string[];
  start: string;
}

/** One program as HTML, with what to install before and how to run it. An address such as `#python` opens it. */
function plainLanguage(language: PlainLanguage, shown: { code: string; isOpen: boolean }): string {
  const { id, name, install, variables, start } = language;
  // Code that scrolls must be reachable by keyboard.
  const box = (label: string, text: string) =>
    text &&
    [
      '<pre class="mt-3 overflow-auto rounded-8 border border-line2 bg-s2 px-3 py-2.5 text-12 leading-5"',
      ` tabindex="0" role="region" aria-label="${label}, ${name}">`,
      `<code>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</code></pre>`,
    ].join('');
  const set = variables.map((variable) => `export ${variable}=…`);
  const commands = [install, ...set, start].filter((line) => line !== '').join('\n');
  return [
    `<details name="language"${shown.isOpen ? ' open' : ''}>`,
    `<summary class="min-h-9 text-14 font-medium">${name}</summary>`,
    `<div id="${id}">${box('program', shown.code)}${box('commands', commands)}</div></details>`,
  ].join('');
}

/** Quickly, and nearly as small: an ordinary build compresses as far as it goes (`precompress` in vite.config.ts), which takes seconds. */
async function compress(folder: string): Promise<void> {
  const texts = (await filesUnder(folder)).filter((file) => /\.(js|css|json|svg|txt)$/.test(file));
  await Promise.all(texts.map(async (file) => writeFile(`${file}.gz`, await gzipped(await readFile(file)))));
}

/** Writes the generated types and `$app/tsconfig`, which type checks and tests need after `npm ci`. */
async function syncWeb(): Promise<void> {
  if (!existsSync(join(WEB, 'src'))) return;
  const startedAt = performance.now();
  await run(binary('@sveltejs/kit', 'svelte-kit'), ['sync'], {});
  console.log(`web: synced in ${seconds(startedAt)}`);
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function sourceHash(demo: boolean): Promise<string> {
  const hash = createHash('sha256').update(`demo=${String(demo)} node=${process.versions.node.split('.')[0] ?? ''}`);
  for (const source of SOURCES) {
    for (const file of await filesUnder(join(ROOT, source))) {
      hash.update(`\0${relative(ROOT, file)}\0`).update(await readFile(file));
    }
  }
  return hash.digest('hex');
}

/** Every file under a path, in a fixed order; the path itself when it is a file; none when it is not there. */
async function filesUnder(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => null);
  if (entries === null) return [path];
  // Tests do not change the build.
  const files = entries.filter((entry) => entry.isFile() && !/\.(test|fixture)\.ts$/.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

async function readStamp(folder: string): Promise<string | null> {
  const stamp = await readFile(join(folder, STAMP), 'utf8').catch(() => null);
  return stamp?.trim() ?? null;
}

/** The script behind a package's command, found from the web workspace, wherever npm hoisted it. */
function binary(packageName: string, command: string): string {
  const manifestPath = manifestOf(packageName);
  const manifest = createRequire(import.meta.url)(manifestPath) as { bin?: string | Record<string, string> };
  const script = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin?.[command];
  if (script === undefined) throw new Error(`${packageName} has no command ${command}: run npm ci`);
  return resolve(manifestPath, '..', script);
}

function manifestOf(packageName: string): string {
  const folders = [join(WEB, 'node_modules'), join(ROOT, 'node_modules')];
  const found = folders.map((folder) => join(folder, packageName, 'package.json')).find(existsSync);
  if (found === undefined) throw new Error(`${packageName} is not installed: run npm ci`);
  return found;
}

/** Runs a script in the web workspace. What it prints is shown only when it fails. */
function run(script: string, args: string[], environment: Record<string, string>): Promise<void> {
  // process.execPath is the Node that runs this file; a PATH may still have an older one.
  const child = spawn(process.execPath, [script, ...args], {
    cwd: WEB,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  // Otherwise the build would go on writing its folder after this process has ended.
  const kill = () => child.kill();
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => {
      if (code === 0) return done();
      process.stderr.write(Buffer.concat(printed));
      fail(new Error(`the build ended with ${String(code)}`));
    });
  });
}

const USAGE = `Usage: node scripts/build-web.ts [--sync]

  Builds the web app where it is stale. With --sync, as npm run sync, it only writes the generated types.`;

async function main(): Promise<void> {
  if (readFlags(USAGE, ['sync']).sync) return syncWeb();
  await buildWeb({ demo: process.env.DEMO === 'true' });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main().catch((error: unknown) => {
    console.error(`web: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
}
